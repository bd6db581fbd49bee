/* Editing by pointer and keyboard. */
"use strict";

(function (P) {
  const canvas = P.id("canvas");
  let chosen = 0, grabbed = -1, painting = false, lastSpray = null;

  P.currentClass = () => chosen;
  P.setClass = function (c) {
    chosen = c;
    const radio = document.querySelector(`#classes input[value="${c}"]`);
    if (radio) radio.checked = true;
  };
  const tool = () => document.querySelector("#tools input:checked").value;

  /* ---- Swatches ---- */

  function swatches() {
    const marks = [
      '<circle cx="10" cy="10" r="6"/>', '<rect x="4.7" y="4.7" width="10.6" height="10.6"/>', '<path d="M10 3.4 16.4 15H3.6z"/>',
      '<path d="M10 2.8 17.2 10 10 17.2 2.8 10z"/>', '<path d="m4.3 4 5.7 4 5.7-4 .3.3L12 10l4 5.7-.3.3-5.7-4-5.7 4-.3-.3L8 10 4 4.3z"/>',
    ];
    P.id("classes").replaceChildren(...P.data().classes.map((name, c) => {
      const mark = P.make("span", {class: "mark", style: `color: var(--class-${c + 1})`});
      mark.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true" fill="currentColor">${marks[c]}</svg>`;
      return P.make("label", {class: "swatch", title: `Class ${name} (key ${c + 1})`},
        P.make("input", {type: "radio", name: "class", value: c, checked: c === chosen, onchange: () => (chosen = c)}),
        mark, P.make("span", {class: "name"}, P.make("span", {class: "unseen"}, "Class "), name));
    }));
  }
  let named = "";
  P.on("points", () => {
    const names = P.data().classes.join("\n");
    if (names !== named) swatches();
    named = names;
    const used = P.used();
    P.id("count").textContent = P.data().points.length
      ? `${P.count(P.data().points.length, "point")}, ${P.count(used.length, "class")}` : "No points";
    P.id("empty").hidden = P.data().points.length > 0;
    P.id("undo").disabled = !P.canUndo();
    P.id("redo").disabled = !P.canRedo();
    if (P.id("text-data").open && document.activeElement !== P.id("text")) P.id("text").value = P.csv();
  });

  /* ---- Pointer ---- */

  function nearest(px, py, within) {
    let best = -1, least = within * within;
    P.data().points.forEach((p, i) => {
      const [x, y] = P.toPixel(p.x, p.y), d = (x - px) ** 2 + (y - py) ** 2;
      if (d <= least) least = d, best = i;
    });
    return best;
  }
  const reach = event => event.pointerType === "touch" ? 22 : 11;
  const at = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const inside = v => Math.max(0, Math.min(canvas.clientWidth, v));

  function spray(px, py) {
    if (lastSpray && Math.hypot(px - lastSpray[0], py - lastSpray[1]) < 14) return;
    lastSpray = [px, py];
    const [x, y] = P.toPlane(inside(px + (Math.random() - 0.5) * 28), inside(py + (Math.random() - 0.5) * 28));
    P.add(x, y, chosen);
  }
  function wipe(px, py) {
    const i = nearest(px, py, 16);
    if (i >= 0) P.remove([i]);
  }

  canvas.addEventListener("pointerdown", event => {
    if (event.button > 0) return;
    const [px, py] = at(event), hit = nearest(px, py, reach(event));
    canvas.setPointerCapture(event.pointerId);
    P.cursor = null;
    P.emit("gesture", true);
    P.begin();
    if (tool() === "place") {
      if (hit >= 0) grabbed = hit;
      else {
        P.add(...P.toPlane(px, py), chosen);
        grabbed = P.data().points.length - 1;
      }
    } else {
      painting = true;
      lastSpray = null;
      tool() === "brush" ? spray(px, py) : wipe(px, py);
    }
  });
  canvas.addEventListener("pointermove", event => {
    const [px, py] = at(event);
    if (grabbed >= 0) P.move(grabbed, ...P.toPlane(inside(px), inside(py)));
    else if (painting) tool() === "brush" ? spray(px, py) : wipe(px, py);
    else canvas.style.cursor = tool() === "place" && nearest(px, py, 11) >= 0 ? "grab" : "crosshair";
  });
  function release() {
    if (grabbed < 0 && !painting) return;
    grabbed = -1;
    painting = false;
    P.end();
    P.emit("gesture", false);
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", event => {
    event.preventDefault();
    const i = nearest(...at(event), 14);
    if (i >= 0) P.remove([i]);
  });

  /* ---- Keyboard ---- */

  let carried = -1;

  const place = () => `${P.number(P.round(P.cursor.x), 3)}, ${P.number(P.round(P.cursor.y), 3)}`;
  const under = () => nearest(...P.toPixel(P.cursor.x, P.cursor.y), 14);

  function go(x, y) {
    const v = P.data().view;
    P.cursor = {x: Math.min(v.x1, Math.max(v.x0, x)), y: Math.min(v.y1, Math.max(v.y0, y))};
    if (carried >= 0) P.move(carried, P.cursor.x, P.cursor.y);
    const i = carried >= 0 ? -1 : under(), p = P.data().points[i];
    P.say(p ? `${place()}: point ${i + 1}, class ${P.data().classes[p.c]}.` : `${place()}.`);
    P.draw();
  }
  function drop() {
    if (carried < 0) return;
    carried = -1;
    P.end();
    P.emit("gesture", false);
    P.say(`Dropped at ${place()}.`);
  }
  function jump(by) {
    const points = P.data().points;
    if (!points.length) return;
    const from = under();
    const i = from < 0 ? (by > 0 ? 0 : points.length - 1) : (from + by + points.length) % points.length;
    go(points[i].x, points[i].y);
  }

  const keys = {
    " ": () => {
      if (carried >= 0) return drop();
      P.add(P.cursor.x, P.cursor.y, chosen);
      P.say(`Placed class ${P.data().classes[chosen]} at ${place()}.`);
    },
    m: () => {
      if (carried >= 0) return drop();
      const i = nearest(...P.toPixel(P.cursor.x, P.cursor.y), 60);
      if (i < 0) return P.say("There is no point near the cursor.");
      P.emit("gesture", true);
      P.begin();
      carried = i;
      P.cursor = {x: P.data().points[i].x, y: P.data().points[i].y};
      P.say(`Picked up point ${i + 1}. Arrow keys move it, M drops it.`);
      P.draw();
    },
    c: () => {
      const i = under();
      if (i >= 0) P.relabel(i, chosen);
    },
    n: () => jump(1),
    p: () => jump(-1),
    Delete: () => {
      const i = under();
      if (i < 0) return P.say("There is no point at the cursor.");
      P.remove([i]);
      P.say(`Deleted point ${i + 1}.`);
    },
    Escape: drop,
  };
  keys.Enter = keys[" "];
  keys.Backspace = keys.Delete;
  const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

  canvas.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const v = P.data().view, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!arrows[key] && !keys[key]) return;
    event.preventDefault();
    if (!P.cursor) P.cursor = {x: (v.x0 + v.x1) / 2, y: (v.y0 + v.y1) / 2};
    if (arrows[key]) {
      const step = (v.x1 - v.x0) / 50 * (event.shiftKey ? 5 : 1);
      go(P.cursor.x + arrows[key][0] * step, P.cursor.y + arrows[key][1] * step);
    } else keys[key]();
  });
  canvas.addEventListener("focus", () => {
    if (!canvas.matches(":focus-visible")) return;
    const v = P.data().view;
    P.cursor = P.cursor || {x: (v.x0 + v.x1) / 2, y: (v.y0 + v.y1) / 2};
    P.draw();
  });
  canvas.addEventListener("blur", () => {
    drop();
    P.cursor = null;
    P.draw();
  });

  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && !/^(radio|checkbox|range)$/.test(event.target.type);
    if (typing || document.querySelector("dialog[open]")) return;
    const control = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
    if (control && key === "z" && !event.shiftKey) undo();
    else if (control && (key === "y" || (key === "z" && event.shiftKey))) redo();
    else if (!control && !event.altKey && key >= "1" && key <= String(P.MAX_CLASSES)) {
      P.setClass(Number(key) - 1);
      return P.say(`New points have class ${P.data().classes[chosen]}.`);
    } else return;
    event.preventDefault();
  });

  /* ---- Buttons ---- */

  const undo = () => P.say(P.undo() ? "Undone." : "Nothing to undo.");
  const redo = () => P.say(P.redo() ? "Done again." : "Nothing to redo.");
  P.id("undo").addEventListener("click", undo);
  P.id("redo").addEventListener("click", redo);
  P.id("clear").addEventListener("click", () => {
    P.empty();
    P.say("All points are deleted. Undo brings them back.");
  });
  P.id("fit").addEventListener("click", P.fit);
  P.id("save").addEventListener("click", () => P.download("points.csv", P.csv()));
  P.id("open").addEventListener("click", () => P.id("file").click());
  P.id("file").addEventListener("change", event => {
    if (event.target.files[0]) P.readFile(event.target.files[0]);
    event.target.value = "";
  });
  P.id("text-data").addEventListener("toggle", () => (P.id("text").value = P.csv()));
  P.id("apply").addEventListener("click", () => P.importCsv(P.id("text").value, "The text"));

  const frame = P.id("frame");
  for (const name of ["dragenter", "dragover"])
    document.addEventListener(name, event => {
      event.preventDefault();
      frame.classList.add("dropping");
    });
  document.addEventListener("dragleave", event => event.relatedTarget || frame.classList.remove("dropping"));
  document.addEventListener("drop", event => {
    event.preventDefault();
    frame.classList.remove("dropping");
    const file = event.dataTransfer && event.dataTransfer.files[0];
    if (file) P.readFile(file);
  });
})(Playground);
