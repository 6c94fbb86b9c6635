// What every page gets on top of plain HTML: nothing here is needed to use the portal, it only makes it quicker.
"use strict";
(() => {
  const YEAR = 365 * 24 * 3600;
  const secure = location.protocol === "https:" ? ";secure" : "";
  const remember = (name, value) => {
    document.cookie = `${name}=${value};path=/;max-age=${YEAR};samesite=lax${secure}`;
  };

  // The viewer's zone: the server formats every time in it from the next page on.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.split("; ").includes(`tz=${zone}`)) remember("tz", zone);

  // Theme: the buttons are a form that works alone; here it takes effect without a reload.
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-switch]");
    if (!form || !event.submitter) return;
    event.preventDefault();
    const theme = event.submitter.value;
    document.documentElement.dataset.bsTheme = theme;
    remember("theme", theme);
    for (const button of document.querySelectorAll("[data-theme-switch] button")) button.setAttribute("aria-pressed", String(button.value === theme));
    document.dispatchEvent(new CustomEvent("portal:theme", { detail: { theme } }));
  });

  // The resolved value of a colour token, for canvases.
  const probe = document.createElement("span");
  probe.hidden = true;
  const colour = (token) => {
    if (!probe.isConnected) document.body.append(probe);
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };

  const say = (text) => {
    const region = document.getElementById("announce");
    if (region) region.textContent = text;
  };

  // Countdowns: one timer for all, corrected by the server's clock at load.
  const serverNow = Number(document.documentElement.dataset.now) * 1000;
  const skew = serverNow ? serverNow - Date.now() : 0;
  const words = document.documentElement.dataset;
  const left = (seconds) => {
    const parts = [];
    for (const [size, word] of [[86400, words.d], [3600, words.h], [60, words.min], [1, words.s]]) {
      const count = Math.floor(seconds / size);
      seconds -= count * size;
      if (count) parts.push(`${count}\u00a0${word}`);
    }
    return parts.slice(0, 2).join(" ") || `0\u00a0${words.s}`;
  };
  const tick = () => {
    for (const clock of document.querySelectorAll("[data-countdown]:not([data-over])")) {
      const seconds = Math.floor((Date.parse(clock.dateTime) - Date.now() - skew) / 1000);
      clock.textContent = seconds > 0 ? left(seconds) : clock.dataset.done || left(0);
      if (seconds <= 0) {
        clock.dataset.over = "";
        clock.dispatchEvent(new CustomEvent("portal:over", { bubbles: true }));
        if (clock.dataset.done) say(clock.dataset.done);
      }
    }
  };
  if (document.querySelector("[data-countdown]")) tick();
  setInterval(tick, 1000);

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const source = document.getElementById(copy.dataset.copy);
      navigator.clipboard.writeText(source.value ?? source.textContent.trim()).then(() => {
        const word = copy.querySelector("[data-copy-word]") || copy;
        const before = word.textContent;
        word.textContent = copy.dataset.copied;
        say(copy.dataset.copied);
        setTimeout(() => { word.textContent = before; }, 2000);
      });
      return;
    }
    // A row opens what its own link opens; text that is being selected and real controls stay what they are.
    const row = event.target.closest("tr[data-href], .row-link[data-href]");
    if (row && !event.target.closest("a, button, input, select, label, summary") && !String(getSelection())) {
      if (event.ctrlKey || event.metaKey) open(row.dataset.href, "_blank", "noopener");
      else location.assign(row.dataset.href);
      return;
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;

  // Forms that ask for it send themselves on change; without a script their button stands there.
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form && form.dataset.sendOnChange !== undefined && !window.htmx) form.requestSubmit();
  });

  // htmx: addresses hold what was chosen and nothing empty.
  document.addEventListener("htmx:configRequest", (event) => {
    const { verb, formData } = event.detail;
    if (verb !== "get") return;
    for (const name of new Set(formData.keys())) {
      const values = formData.getAll(name).filter((value) => value !== "");
      formData.delete(name);
      for (const value of values) formData.append(name, value);
    }
  });

  // htmx: a refusal goes where the server says, a form with errors into its own place, silence is told.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status === 422 || (xhr.status >= 400 && xhr.getResponseHeader("HX-Retarget"))) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  const trouble = () => {
    const flash = document.getElementById("flash");
    const text = flash.dataset.trouble;
    flash.replaceChildren(Object.assign(document.createElement("p"), { className: "message message-fault", textContent: text }));
    say(text);
  };
  document.addEventListener("htmx:sendError", trouble);
  document.addEventListener("htmx:responseError", trouble);
  document.addEventListener("htmx:afterSwap", () => {
    for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  });

  window.portal = { colour, say, remember };
})();
