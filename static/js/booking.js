// Hints of one booking: "this part changed, fetch it again". A hint may be lost: the page asks by itself every half minute, and a reload shows the same.
"use strict";
(() => {
  const number = document.querySelector("[data-booking]").dataset.booking;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  let wait = 1000;
  const listen = () => {
    const socket = new WebSocket(`${scheme}://${location.host}/ws/bookings/${number}/`);
    socket.addEventListener("open", () => {
      wait = 1000;
      document.body.dispatchEvent(new CustomEvent("portal:status")); // what was said before the socket stood
    });
    socket.addEventListener("message", ({ data }) => {
      const { hint } = JSON.parse(data);
      if (hint) document.body.dispatchEvent(new CustomEvent(`portal:${hint}`));
    });
    socket.addEventListener("close", ({ code }) => {
      if (code >= 4400) return; // refused or over: not a broken line
      setTimeout(listen, wait);
      wait = Math.min(wait * 2, 30000);
    });
  };
  listen();
})();
