// Makes the live page move: readings from the socket into cards and charts. Without it the page is right as served; with it the page says how it stands with
// the stream, marks what is old, and fills holes from the server's history.
"use strict";
(() => {
  const root = document.getElementById("live");
  if (!root) return;
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const words = json("live-words");
  let drawing = json("live-drawing");
  const language = document.documentElement.lang;
  const skew = drawing.now * 1000 - Date.now();
  const now = () => (Date.now() + skew) / 1000;
  const STALE = 3000, GONE = 10000, MIB = 1024;
  const ENDS = { 4401: "reload", 4411: "reload", 4403: "shutOut", 4404: "shutOut", 4410: "over" };
  const COLUMNS = { gpu: 0, state: 1, utilisation: 2, used: 4, total: 6, power: 7, temperature: 9, clock: 10, throttle: 11, mig: 12, parts: 13 };

  const formats = new Map();
  const number = (value, digits) => {
    if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
    return formats.get(digits).format(value);
  };
  const clockFormat = new Intl.DateTimeFormat(language, {
    timeZone: root.dataset.zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23",
    ...(drawing.seconds > 90000 ? { month: "numeric", day: "numeric" } : drawing.seconds <= 300 ? { second: "2-digit" } : {}),
  });
  const clock = (at) => clockFormat.format(at * 1000);
  const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);

  // Cards --------------------------------------------------------------------------------------------------------------------------------------------
  const put = (place, value, digits) => {
    if (!place) return;
    const missing = value === null || value === undefined;
    place.classList.toggle("is-missing", missing);
    place.querySelector("[data-value]").textContent = missing ? words.na : number(value, digits ?? Number(place.dataset.digits || 0));
  };
  const field = (card, name) => card.querySelector(`:scope [data-field="${name}"]`);
  const gauge = (bar, used, total) => {
    if (!bar) return;
    const known = used !== null && used !== undefined && total > 0;
    bar.value = known ? Math.min(100, Math.round((100 * used) / total)) : 0;
    bar.toggleAttribute("data-missing", !known);
  };
  const look = (place, state) => {
    if (place.dataset.state === state) return;
    place.dataset.state = state;
    const drawn = root.querySelector(`template[data-state-look="${state}"]`);
    if (drawn) place.replaceChildren(drawn.content.cloneNode(true));
  };
  const sum = (values) => (values.every((value) => value === null) ? null : values.reduce((all, value) => all + (value ?? 0), 0));
  const usedOf = (row) => (row[COLUMNS.used] === null && row[COLUMNS.parts].length ? sum(row[COLUMNS.parts].map((part) => part[5])) : row[COLUMNS.used]);
  const partName = (gpu, part) => (part[2] === null ? `${gpu}/gi${part[0]}` : `${gpu}/${part[2]}`);

  const showCard = (card, row) => {
    const at = (name) => (row ? row[COLUMNS[name]] : null);
    look(field(card, "state"), row ? row[COLUMNS.state] : "silent");
    for (const name of ["power", "temperature", "clock"]) put(field(card, name), at(name));
    const own = card.querySelector(".gpu-use");
    if (own) put(field(own, "utilisation"), at("utilisation"));
    const used = row ? usedOf(row) : null;
    const memory = card.querySelector(".gpu-memory");
    if (memory) {
      put(field(memory, "memory"), used === null ? null : used / MIB);
      gauge(field(memory, "memory-bar"), used, at("total") || Number(card.dataset.total));
    }
    const parts = new Map((row ? row[COLUMNS.parts] : []).map((part) => [partName(row[0], part), part]));
    for (const item of card.querySelectorAll("[data-part]")) {
      const part = parts.get(item.dataset.part);
      put(field(item, "utilisation"), part ? part[4] : null);
      put(field(item, "memory"), part && part[5] !== null ? part[5] / MIB : null);
    }
    const bits = at("throttle") || 0;
    const told = Object.entries(words.throttles).filter(([bit]) => bits & Number(bit)).map(([, word]) => word);
    const warnings = field(card, "warnings");
    warnings.hidden = !told.length;
    warnings.querySelector("[data-word]").textContent = told.join(", ");
  };

  // Servers ------------------------------------------------------------------------------------------------------------------------------------------
  const servers = new Map([...root.querySelectorAll(".live-server")].map((section) => {
    const age = drawing.ages[section.dataset.server];
    const cards = [...section.querySelectorAll("[data-gpu]")];
    return [section.dataset.server, { section, cards, heard: age === null ? null : performance.now() - age * 1000, waiting: null, gone: age === null || age * 1000 > GONE, ok: null }];
  }));
  const mean = (values) => (values.length ? values.reduce((all, value) => all + value, 0) / values.length : null);
  const showServer = (server, rows) => {
    const byName = new Map(rows.map((row) => [row[0], row]));
    for (const card of server.cards) showCard(card, byName.get(card.dataset.gpu));
    put(field(server.section, "mean-utilisation"), mean(rows.map((row) => row[COLUMNS.utilisation]).filter((value) => value !== null)));
    put(field(server.section, "total-power"), sum([null, ...rows.map((row) => row[COLUMNS.power])]));
    server.ok = server.cards.filter((card) => byName.get(card.dataset.gpu)?.[COLUMNS.state] === "ok").length;
    tellReporting();
  };
  const reporting = document.getElementById("live-reporting");
  const tellReporting = () => {
    if (!reporting || [...servers.values()].some((server) => server.ok === null)) return;
    const expected = sum([...servers.values()].map((server) => server.cards.length));
    const ok = sum([...servers.values()].map((server) => server.ok));
    reporting.querySelector("[data-word]").textContent = fill(words.reporting, { reporting: number(ok, 0), expected: number(expected, 0) });
    reporting.className = `state state-${ok < expected ? "attention" : "neutral"}`;
  };
  const age = () => {
    for (const server of servers.values()) {
      const badge = server.section.querySelector("[data-stale]");
      if (!badge) continue;
      const silent = server.heard === null ? Infinity : performance.now() - server.heard;
      const stale = silent > STALE;
      if (stale && badge.hidden) window.portal.say(`${server.section.dataset.server}: ${fill(words.stale, { seconds: Math.round(silent / 1000) })}`);
      badge.hidden = !stale;
      server.section.classList.toggle("is-old", stale);
      badge.querySelector("[data-word]").textContent = silent === Infinity ? words.never : fill(words.stale, { seconds: number(Math.round(silent / 1000), 0) });
      if (silent > GONE && !server.gone) {
        server.gone = true; // from here on a figure would be a lie
        showServer(server, []);
      }
    }
  };

  // Charts -------------------------------------------------------------------------------------------------------------------------------------------
  const figures = [...root.querySelectorAll(".chart")];
  const scaled = (values) => [values[0], values[1] === null ? null : values[1] / MIB, values[2], values[3]];
  const series = new LiveSeries({ names: drawing.lines.map((line) => line.name), measures: 4, seconds: drawing.seconds, step: drawing.step });
  const load = (from) => {
    series.clear();
    for (const [server, { t, v }] of Object.entries(from.servers)) {
      t.forEach((at, place) => series.add(server, at, Object.entries(v).map(([name, columns]) => [name, scaled(columns.map((column) => column[place]))])));
    }
  };
  load(drawing);
  const charts = figures.length
    ? new LiveCharts({ figures, lines: drawing.lines, series, seconds: drawing.seconds, tops: drawing.tops, faults: drawing.faults, clock, number, now: drawing.live ? now : () => drawing.now })
    : null;
  let paused = false;
  const draw = () => { if (charts && !paused) charts.plan(); };

  const table = document.getElementById("live-table");
  const tell = () => {
    if (!table || !table.open || !drawing.live || paused) return;
    for (const row of table.querySelectorAll("[data-row]")) {
      [...row.querySelectorAll("td")].forEach((cell, measure) => {
        const spread = series.spread(measure, row.dataset.row);
        cell.textContent = spread ? spread.map((value) => number(value, measure === 1 ? 1 : 0)).join(" · ") : words.na;
      });
    }
  };

  // The stream ---------------------------------------------------------------------------------------------------------------------------------------
  const take = ([name, at, , , rows]) => {
    const server = servers.get(name);
    if (!server) return;
    server.heard = performance.now();
    server.gone = false;
    server.waiting = rows;
    if (!paused) showServer(server, rows);
    if (!drawing.live) return;
    series.add(name, at, rows.flatMap((row) => [
      [row[0], scaled([row[COLUMNS.utilisation], usedOf(row), row[COLUMNS.power], row[COLUMNS.temperature]])],
      ...row[COLUMNS.parts].map((part) => [partName(row[0], part), scaled([part[4], part[5], null, null])]),
    ]));
    draw();
  };
  const refill = async () => {
    try {
      const answer = await fetch(root.dataset.history, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const fresh = await answer.json();
      if (charts) charts.faults = fresh.faults;
      if (!drawing.live) return;
      load(fresh);
      draw();
    } catch { /* the next reconnect asks again; until then the hole is seen as a hole */ }
  };
  const listFaults = async () => {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live-faults");
    if (fresh) document.getElementById("live-faults").replaceWith(fresh);
  };

  const link = document.getElementById("live-link");
  const tellLink = (state, word) => {
    if (!link) return;
    link.hidden = false;
    const changed = link.dataset.now !== word;
    link.dataset.now = word;
    link.className = `state state-${state}`;
    link.querySelector("[data-word]").textContent = words[word];
    if (changed && word !== "live") window.portal.say(words[word]);
  };
  let socket = null, attempts = 0, timer = 0, begun = false;
  const hear = (event) => {
    const message = JSON.parse(event.data);
    if (Array.isArray(message)) return take(message);
    if (message.hub === "reconnecting") tellLink("attention", "reconnecting");
    if (message.hub === "resumed") { tellLink("ok", "live"); refill(); }
    if (message.hint === "faults") { refill(); listFaults(); }
  };
  const connect = () => {
    clearTimeout(timer);
    if (!root.dataset.socket || document.hidden) return;
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}${root.dataset.socket}`);
    socket = mine;
    mine.onopen = () => {
      attempts = 0;
      tellLink("ok", "live");
      if (begun) refill(); // what came while nobody listened
      begun = true;
    };
    mine.onmessage = hear;
    mine.onclose = (event) => {
      if (socket !== mine) return;
      const end = ENDS[event.code];
      if (end === "reload") return location.reload();
      if (end) return tellLink("neutral", end);
      if (document.hidden) return;
      tellLink("attention", "reconnecting");
      attempts += 1;
      timer = setTimeout(connect, Math.min(15000, 500 * 2 ** Math.min(attempts, 6)) * (0.5 + Math.random() / 2));
    };
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      // A hidden tab does not draw and would only pile up messages: it stops, and asks for the history when it is seen again.
      const old = socket;
      socket = null;
      if (old) old.close();
      clearTimeout(timer);
    } else connect();
  });

  // Controls -----------------------------------------------------------------------------------------------------------------------------------------
  const pause = document.getElementById("live-pause");
  if (root.dataset.socket) pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    if (paused) return tellLink("neutral", "paused");
    if (socket && socket.readyState === WebSocket.OPEN) tellLink("ok", "live");
    for (const server of servers.values()) if (server.waiting) showServer(server, server.waiting);
    draw();
  });
  for (const button of root.querySelectorAll("[data-line]")) {
    button.disabled = !charts;
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") === "false";
      button.setAttribute("aria-pressed", String(shown));
      charts.show(button.dataset.line, shown);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "p" && !pause.hidden) pause.click();
    if (event.key === "t" && table) {
      table.open = !table.open;
      tell();
      table.querySelector("summary").focus();
    }
  });

  setInterval(() => { if (!paused) age(); }, 500);
  setInterval(() => { tell(); if (drawing.live) draw(); }, 1000);
  connect();
})();
