// Hints of what the page shows: "this part changed, fetch it again". A hint may be lost: the page asks by itself now and then, and a reload shows the same.
"use strict";
(() => {
  const { hints, heard } = document.querySelector("[data-hints]").dataset; // the socket's address; the hint that stands for all when the line is back
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  let wait = 1000;
  const say = (hint) => document.body.dispatchEvent(new CustomEvent(`portal:${hint}`));
  const listen = () => {
    const socket = new WebSocket(`${scheme}://${location.host}${hints}`);
    socket.addEventListener("open", () => {
      wait = 1000;
    });
    socket.addEventListener("message", ({ data }) => {
      const { hint, hub } = JSON.parse(data);
      if (hint) say(hint);
      if (hub === "resumed") say(heard); // the line stands (again): fetch what was said before
    });
    socket.addEventListener("close", ({ code }) => {
      if (code >= 4400) return; // refused or over: not a broken line
      setTimeout(listen, wait);
      wait = Math.min(wait * 2, 30000);
    });
  };
  listen();
})();
