/* Start: theme, tabs, dialogs, the first points. */
"use strict";

(function (P) {
  /* ---- Theme ---- */

  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  function themed() {
    P.id("theme").textContent = isDark() ? "Light" : "Dark";
    P.id("theme").setAttribute("aria-label", isDark() ? "Light theme" : "Dark theme");
    P.readColours();
    P.draw();
  }
  P.id("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    themed();
  });
  dark.addEventListener("change", themed);

  /* ---- Tabs ---- */

  const tabs = [...document.querySelectorAll("[role=tab]")];
  P.tab = () => tabs.find(tab => tab.getAttribute("aria-selected") === "true").id.replace("tab-", "");
  P.openTab = function (name, focus) {
    for (const tab of tabs) {
      const active = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(active));
      tab.tabIndex = active ? 0 : -1;
      P.id(tab.getAttribute("aria-controls")).hidden = !active;
      if (active && focus) tab.focus();
    }
    P.emit("tab", name);
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => P.openTab(tab.id.replace("tab-", "")));
    tab.addEventListener("keydown", event => {
      const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      P.openTab(tabs[(to + tabs.length) % tabs.length].id.replace("tab-", ""), true);
    });
  });

  P.id("keys").addEventListener("click", () => P.id("keys-dialog").showModal());

  /* ---- Data ---- */

  let seed = 1;
  P.id("generate").addEventListener("submit", event => {
    event.preventDefault();
    P.say("");
    P.generate(P.id("generator").value, Math.round(Number(P.id("rows").value)), seed++);
  });
  window.addEventListener("hashchange", P.loadLink);

  async function start() {
    themed();
    try {
      await Halfspace.start();
      await P.startForm();
    } catch (error) {
      P.say(`The playground could not start: ${error.message || error}. It needs a browser with WebAssembly.`, true);
      throw error;
    }
    P.startSteps();
    P.startCertificate();
    P.startLessons();
    P.say(matchMedia("(pointer: coarse)").matches ? "Tap to place a point, drag to move it, choose Erase to delete it."
      : "Click to place a point, drag to move it, right-click to delete it.");
    if (!P.loadLink()) await P.generate("separable", 60, seed++);
    document.body.dataset.ready = "true";
  }
  start();
})(Playground);
