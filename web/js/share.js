/* The whole state as a link: after the # are the points, the learner and its options, as base64 of JSON. */
"use strict";

(function (P) {
  const encode = text => btoa(Array.from(new TextEncoder().encode(text), b => String.fromCharCode(b)).join(""))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const decode = text => new TextDecoder("utf-8", {fatal: true}).decode(
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0)));

  P.shareLink = function () {
    const data = P.data();
    const state = {
      v: 1, learner: P.learner(), options: P.chosen(), classes: data.classes, columns: data.columns,
      view: [data.view.x0, data.view.x1, data.view.y0, data.view.y1],
      points: data.points.map(p => [p.x, p.y, p.c].join(" ")).join(","),
    };
    return location.href.replace(/#.*/, "") + "#s=" + encode(JSON.stringify(state));
  };

  const isName = name => typeof name === "string" && name.length < 200;

  /* Read a link; whatever it holds is checked, because anybody may have written it. */
  function read(fragment) {
    const state = JSON.parse(decode(fragment.replace(/^#s=/, "")));
    const points = (state.points ? String(state.points).split(",") : []).map(text => {
      const [x, y, c] = text.split(" ").map(Number);
      return {x, y, c};
    });
    const good = state.v === 1 && points.length <= 5000 && Array.isArray(state.classes) && state.classes.length <= P.MAX_CLASSES &&
      state.classes.every(isName) && new Set(state.classes).size === state.classes.length &&
      Array.isArray(state.columns) && state.columns.length === 3 && state.columns.every(isName) &&
      points.every(p => Number.isFinite(p.x) && Number.isFinite(p.y) && Number.isInteger(p.c) && p.c >= 0 && p.c < state.classes.length);
    if (!good) throw new Error("unknown content");
    const [x0, x1, y0, y1] = Array.isArray(state.view) ? state.view : [];
    const view = x0 < x1 && y0 < y1 && [x0, x1, y0, y1].every(Number.isFinite) ? {x0, x1, y0, y1} : null;
    return {points, classes: state.classes, columns: state.columns, view, learner: state.learner, options: state.options};
  }

  /* True if the address has a state and it was loaded. */
  P.loadLink = function () {
    if (!location.hash.startsWith("#s=")) return false;
    try {
      const state = read(location.hash);
      if (typeof state.learner === "string") P.choose(state.learner, state.options || {});
      P.load(state);
      return true;
    } catch (error) {
      P.say("This link cannot be read; it may have been cut off. Ask for it again.", true);
      return false;
    }
  };

  P.id("share").addEventListener("click", () => {
    P.id("link").value = P.shareLink();
    history.replaceState(null, "", P.id("link").value);
    P.id("share-dialog").showModal();
    P.id("link").select();
  });
  P.id("copy-link").addEventListener("click", async event => {
    P.id("link").select();
    try {
      await navigator.clipboard.writeText(P.id("link").value);
    } catch (error) {
      document.execCommand("copy");
    }
    event.target.textContent = "Copied";
    setTimeout(() => (event.target.textContent = "Copy link"), 1500);
  });
})(Playground);
