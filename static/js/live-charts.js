// The four charts of the live page: one axis, one crosshair, the same colour for the same GPU on each.
"use strict";
(() => {
  const HEIGHT = 200;
  const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 2], [3, 1, 1, 1]];
  const ALL = ["utilisation", "memory_used", "power", "temperature"];

  class Charts {
    // `lines` as the server named them, `series` the readings, `clock` and `number` how to write times and figures.
    constructor({ figures, lines, series, seconds, tops, faults, clock, number, now }) {
      Object.assign(this, { lines, series, seconds, tops, faults, clock, number, now });
      this.paint();
      this.charts = figures.map((figure) => this.chart(figure));
      this.planned = false;
      const again = () => { this.paint(); for (const { plot } of this.charts) plot.redraw(false, true); };
      document.addEventListener("portal:theme", again);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
      new ResizeObserver(() => this.resize()).observe(figures[0].parentElement);
    }

    paint() {
      const colour = window.portal.colour;
      this.colours = Array.from({ length: 8 }, (_, place) => colour(`--series-${place}`));
      this.ink = colour("--ink-2");
      this.rule = colour("--line");
      this.fault = colour("--fault");
    }

    chart(figure) {
      const measure = ALL.indexOf(figure.dataset.measure);
      const body = figure.querySelector(".chart-body");
      body.replaceChildren(); // what stood there for want of a script
      const readout = figure.querySelector("[data-readout]");
      const axis = { stroke: () => this.ink, grid: { stroke: () => this.rule, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
      const plot = new uPlot({
        width: body.clientWidth || 320,
        height: HEIGHT,
        legend: { show: false },
        padding: [10, 12, 0, 0],
        cursor: { sync: { key: "live" }, points: { size: 6 }, drag: { x: false, y: false } },
        scales: { x: { time: true, range: () => this.range() }, y: { range: (_, __, most) => [0, Math.max(this.tops[measure], most || 0)] } },
        axes: [
          { ...axis, size: 28, values: (_, splits) => splits.map((at) => this.clock(at)), space: 70 },
          { ...axis, size: 40, gap: 8, values: (_, splits) => splits.map((value) => this.number(value, 0)) },
        ],
        series: [{}, ...this.lines.map((line) => this.line(line, measure))],
        hooks: { draw: [(drawn) => this.mark(drawn)], setCursor: [(drawn) => this.read(drawn, readout, measure)] },
      }, this.series.data(measure), body);
      return { plot, measure, body };
    }

    line(line, measure) {
      return {
        label: line.label,
        stroke: () => this.colours[line.colour],
        width: 1.5,
        dash: DASHES[line.dash % DASHES.length],
        show: !(line.part && measure > 1),
        points: { size: 4, filter: (plot, place) => LiveSeries.alone(plot.data[place]) },
      };
    }

    range() {
      const end = this.now();
      return [end - this.seconds, end];
    }

    // Draw at most once in a frame, however much arrives.
    plan() {
      if (this.planned) return;
      this.planned = true;
      requestAnimationFrame(() => {
        this.planned = false;
        for (const { plot, measure } of this.charts) plot.setData(this.series.data(measure));
      });
    }

    resize() {
      for (const { plot, body } of this.charts) if (body.clientWidth && body.clientWidth !== plot.width) plot.setSize({ width: body.clientWidth, height: HEIGHT });
    }

    show(name, shown) {
      const place = this.lines.findIndex((line) => line.name === name);
      for (const { plot, measure } of this.charts) if (!(this.lines[place].part && measure > 1)) plot.setSeries(place + 1, { show: shown });
    }

    mark(plot) {
      const { ctx } = plot;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = this.fault;
      ctx.textAlign = "left";
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      for (const fault of this.faults) {
        if (fault.at < plot.scales.x.min || fault.at > plot.scales.x.max) continue;
        const x = Math.round(plot.valToPos(fault.at, "x", true)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(x, plot.bbox.top);
        ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
        ctx.stroke();
        ctx.fillText(fault.code, x + 4, plot.bbox.top + 12 * devicePixelRatio);
      }
      ctx.restore();
    }

    read(plot, readout, measure) {
      const place = plot.cursor.idx;
      if (place === null || place === undefined) {
        readout.textContent = "";
        return;
      }
      const parts = this.lines.flatMap((line, at) => {
        const value = plot.data[at + 1][place];
        return value === null || value === undefined || !plot.series[at + 1].show ? [] : [`${line.label} ${this.number(value, measure === 1 ? 1 : 0)}`];
      });
      readout.textContent = `${this.clock(plot.data[0][place])} · ${parts.join(" · ")}`;
    }
  }

  window.LiveCharts = Charts;
})();
