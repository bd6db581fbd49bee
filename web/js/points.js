/* The points, their classes and columns, with undo and redo. The page changes them only here. */
"use strict";

(function (P) {
  const MAX_CLASSES = 5, MAX_UNDO = 200;
  const names = ["A", "B", "C", "D", "E"];
  const home = {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25};

  const start = () => ({
    points: [],                 // {x, y, c}: c is an index of classes; the order is that of the rows
    classes: names.slice(),
    columns: ["x", "y", "class"],
    view: home,
    made: null,                 // the command that made exactly these points
  });

  let now = start(), past = [], future = [], gesture = null;   // gesture: null, "begun", or "changed" after its first change

  P.MAX_CLASSES = MAX_CLASSES;
  P.data = () => now;

  function set(change) {
    now = Object.assign({}, now, change);
    P.emit("points");
  }

  /* Change the data; one undo takes it back. Between begin and end, all changes are one. */
  P.change = function (change) {
    if (gesture !== "changed") {
      past.push(now);
      if (past.length > MAX_UNDO) past.shift();
      future = [];
    }
    if (gesture) gesture = "changed";
    set(change.points ? Object.assign({made: null}, change) : change);
  };
  P.begin = () => (gesture = "begun");
  P.end = () => (gesture = null);
  P.undo = function () {
    if (!past.length) return false;
    future.push(now);
    now = past.pop();
    P.emit("points");
    return true;
  };
  P.redo = function () {
    if (!future.length) return false;
    past.push(now);
    now = future.pop();
    P.emit("points");
    return true;
  };
  P.canUndo = () => past.length > 0;
  P.canRedo = () => future.length > 0;

  /* Coordinates get as many decimals as the drawing can show, so that files stay short and exact. */
  P.round = function (value) {
    const width = now.view.x1 - now.view.x0;
    const decimals = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(width / 2))));
    return Number(value.toFixed(decimals)) + 0;
  };

  P.add = (x, y, c) => P.change({points: now.points.concat({x: P.round(x), y: P.round(y), c})});
  P.move = (i, x, y) => P.change({points: now.points.map((p, k) => k === i ? {x: P.round(x), y: P.round(y), c: p.c} : p)});
  P.relabel = (i, c) => P.change({points: now.points.map((p, k) => k === i ? {x: p.x, y: p.y, c} : p)});
  P.remove = doomed => P.change({points: now.points.filter((p, k) => !doomed.includes(k))});
  P.empty = () => P.change(start());

  /* Replace everything: {points, classes, columns}; the view fits the points unless given. */
  P.load = function (data) {
    const classes = data.classes.concat(names.filter(name => !data.classes.includes(name))).slice(0, MAX_CLASSES);
    P.change({points: data.points, classes, columns: data.columns || ["x", "y", "class"], view: data.view || fitted(data.points), made: data.made || null});
  };

  /* A square that shows all points with some space around them. */
  function fitted(points) {
    if (!points.length) return home;
    const xs = points.map(p => p.x), ys = points.map(p => p.y);
    const range = values => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
    const [x0, x1] = range(xs), [y0, y1] = range(ys);
    const size = Math.max(x1 - x0, y1 - y0) || Math.max(Math.abs(x0), Math.abs(y0)) || 1;
    const half = size * 0.6, x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    return {x0: x - half, x1: x + half, y0: y - half, y1: y + half};
  }
  P.fit = () => P.change({view: fitted(now.points)});

  /* The classes that have points, as indices. */
  P.used = () => now.classes.map((name, c) => c).filter(c => now.points.some(p => p.c === c));

  const field = text => /^[^",\r\n]*$/.test(text) && text.trim() === text && text !== "" ? text : `"${text.replace(/"/g, '""')}"`;

  /* The file that every command reads. */
  P.csv = () => [now.columns.map(field).join(",")]
    .concat(now.points.map(p => `${p.x},${p.y},${field(now.classes[p.c])}`)).join("\n") + "\n";
})(Playground);
