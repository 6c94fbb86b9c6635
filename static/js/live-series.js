// The readings behind the charts: one shared time axis for all lines, in steps. Between two messages that are at most 2.5 steps apart a line goes on
// (undefined: nothing here); across a longer silence, and where a reading is missing, it breaks (null). Never a line across a gap.
"use strict";
(() => {
  const GAP = 2.5;

  class Series {
    constructor({ names, measures, seconds, step }) {
      this.names = names;
      this.step = step;
      this.most = Math.round(seconds / step) + 1;
      this.places = new Map(names.map((name, place) => [name, place]));
      this.x = [];
      this.columns = Array.from({ length: measures }, () => names.map(() => []));
      this.last = names.map(() => -Infinity); // the bin of each line's last message
      this.phases = new Map();
    }

    // Messages of one server come at the same fraction of every second; binning around it keeps jitter from losing points.
    bin(server, at) {
      if (!this.phases.has(server)) this.phases.set(server, at % this.step);
      return Math.round((at - this.phases.get(server)) / this.step);
    }

    // One message: `values` holds for each of its lines one number or null per measure.
    add(server, at, values) {
      const bin = this.bin(server, at);
      this.reach(bin);
      const place = bin - this.x[0];
      if (place < 0) return;
      for (const [name, readings] of values) {
        const line = this.places.get(name);
        if (line === undefined) continue;
        if (bin - this.last[line] > GAP) this.breakLine(line, this.last[line] + 1, bin);
        this.columns.forEach((column, measure) => { column[line][place] = readings[measure] ?? null; });
        this.last[line] = Math.max(this.last[line], bin);
      }
    }

    // Extend the axis to `bin` and forget what has left the window.
    reach(bin) {
      let next = this.x.length ? this.x[this.x.length - 1] + 1 : bin;
      if (bin - next > this.most) {
        this.clear();
        next = bin;
      }
      for (; next <= bin; next += 1) {
        this.x.push(next);
        for (const column of this.columns) for (const line of column) line.push(undefined);
      }
      const extra = this.x.length - this.most;
      if (extra > 0) {
        this.x.splice(0, extra);
        for (const column of this.columns) for (const line of column) line.splice(0, extra);
      }
    }

    breakLine(line, from, to) {
      if (from === -Infinity) return;
      for (let bin = Math.max(from, this.x[0]); bin < to; bin += 1) {
        for (const column of this.columns) {
          if (column[line][bin - this.x[0]] === undefined) column[line][bin - this.x[0]] = null;
        }
      }
    }

    clear() {
      this.x.length = 0;
      for (const column of this.columns) for (const line of column) line.length = 0;
      this.last.fill(-Infinity);
    }

    // What uPlot draws of one measure.
    data(measure) {
      return [this.x.map((bin) => bin * this.step), ...this.columns[measure]];
    }

    // Least, mean and greatest of a line; null without a reading.
    spread(measure, name) {
      let least = Infinity, most = -Infinity, sum = 0, count = 0;
      for (const value of this.columns[measure][this.places.get(name)]) {
        if (value === null || value === undefined) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
        sum += value;
        count += 1;
      }
      return count ? [least, sum / count, most] : null;
    }

    // A reading alone between two breaks is a point, or it would not be seen.
    static alone(values) {
      const there = (value) => value !== null && value !== undefined;
      const beside = (from, by) => {
        for (let place = from + by; place >= 0 && place < values.length; place += by) if (values[place] !== undefined) return values[place] !== null;
        return false;
      };
      return values.flatMap((value, place) => (there(value) && !beside(place, -1) && !beside(place, 1) ? [place] : []));
    }
  }

  window.LiveSeries = Series;
})();
