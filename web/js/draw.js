/* The drawing: axes, regions, contours, points, and what the steps and the certificate add. */
"use strict";

(function (P) {
  const canvas = P.id("canvas"), context = canvas.getContext("2d");
  const field = document.createElement("canvas");   // the regions, at half the resolution
  let size = 0, colours, waiting = false;

  /* Parts add marks above the regions: layers.NAME = function (pen). */
  P.layers = {};
  P.scenes = [];                                      // functions; the first that returns a scene replaces the trained model
  P.cursor = null;                                    // {x, y} while the keyboard edits
  P.labels = true;                                    // tick labels; tests of pictures turn them off

  P.readColours = function () {
    const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue(name).trim();
    colours = {
      paper: get("--paper"), ink: get("--ink"), muted: get("--muted"), grid: get("--grid"), accent: get("--accent"),
      classes: [1, 2, 3, 4, 5].map(k => get(`--class-${k}`)), good: get("--good"), bad: get("--bad"),
    };
    colours.rgb = colours.classes.map(hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16)));
    P.colours = colours;
  };

  /* ---- Between the plane and the pixels ---- */

  P.toPixel = function (x, y) {
    const v = P.data().view;
    return [(x - v.x0) / (v.x1 - v.x0) * size, (v.y1 - y) / (v.y1 - v.y0) * size];
  };
  P.toPlane = function (px, py) {
    const v = P.data().view;
    return [v.x0 + px / size * (v.x1 - v.x0), v.y1 - py / size * (v.y1 - v.y0)];
  };

  /* ---- Pieces ---- */

  const trace = list => list.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));

  function line(points, style) {
    context.beginPath();
    trace(points.map(([x, y]) => P.toPixel(x, y)));
    if (style.close) context.closePath();
    if (style.fill) {
      context.globalAlpha = style.alpha || 1;
      context.fillStyle = style.fill;
      context.fill();
      context.globalAlpha = 1;
    }
    context.setLineDash(style.dash || []);
    context.lineWidth = style.width || 1.5;
    context.strokeStyle = style.colour || colours.ink;
    if (style.width !== 0) context.stroke();
    context.setLineDash([]);
  }

  /* A mark whose shape says the class: circle, square, triangle, diamond, cross. */
  function shape(c, x, y, r) {
    context.beginPath();
    if (c === 0) context.arc(x, y, r, 0, 2 * Math.PI);
    else if (c === 1) context.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
    else {
      const corners = c === 2 ? [[0, -1.15], [1.1, 0.8], [-1.1, 0.8]]
        : c === 3 ? [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]]
        : [[-1, -1.05], [0, -0.4], [1, -1.05], [1.05, -1], [0.4, 0], [1.05, 1], [1, 1.05], [0, 0.4], [-1, 1.05], [-1.05, 1], [-0.4, 0], [-1.05, -1]];
      trace(corners.map(([a, b]) => [x + a * r, y + b * r]));
      context.closePath();
    }
  }

  const pen = {
    line,
    dot(x, y, style) {
      const [px, py] = P.toPixel(x, y);
      context.beginPath();
      context.arc(px, py, style.radius || 5, 0, 2 * Math.PI);
      context.fillStyle = style.fill || colours.paper;
      context.fill();
      context.lineWidth = style.width || 2;
      context.strokeStyle = style.colour || colours.ink;
      context.stroke();
    },
    ring(x, y, radius, colour, width) {
      const [px, py] = P.toPixel(x, y);
      context.beginPath();
      context.arc(px, py, radius, 0, 2 * Math.PI);
      context.lineWidth = width || 2;
      context.strokeStyle = colour;
      context.stroke();
    },
    arrow(x0, y0, x1, y1, colour) {
      const [ax, ay] = P.toPixel(x0, y0), [bx, by] = P.toPixel(x1, y1), angle = Math.atan2(by - ay, bx - ax);
      if (Math.hypot(bx - ax, by - ay) < 4) return;
      context.lineWidth = 2.5;
      context.strokeStyle = context.fillStyle = colour;
      context.beginPath();
      context.moveTo(ax, ay);
      context.lineTo(bx - 7 * Math.cos(angle), by - 7 * Math.sin(angle));
      context.stroke();
      context.beginPath();
      context.moveTo(bx, by);
      for (const side of [2.7, -2.7]) context.lineTo(bx + 11 * Math.cos(angle + side), by + 11 * Math.sin(angle + side));
      context.fill();
    },
    text(x, y, text, style) {
      if (!P.labels) return;
      const [px, py] = P.toPixel(x, y);
      context.font = "600 13px system-ui, sans-serif";
      context.textAlign = (style && style.align) || "left";
      label(text, px + (style && style.dx || 8), py + (style && style.dy || -8), (style && style.colour) || colours.ink);
    },
  };

  /* Text that stays readable on lines: it has a border of paper. */
  function label(text, px, py, colour) {
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = colours.paper;
    context.globalAlpha = 0.7;
    context.strokeText(text, px, py);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.fillText(text, px, py);
  }

  /* ---- Axes ---- */

  /* The round values on both axes: [value, place in pixels, whether its line goes across]. */
  function ticks() {
    const v = P.data().view, step = P.niceStep(v.x1 - v.x0, 6), list = [];
    for (const [low, high, across] of [[v.x0, v.x1, false], [v.y0, v.y1, true]])
      for (let k = Math.ceil(low / step); k * step <= high; k++) {
        const [px, py] = P.toPixel(k * step, k * step);
        list.push([k * step, Math.round(across ? py : px) + 0.5, across]);
      }
    return {step, list};
  }

  function gridLines() {
    context.lineWidth = 1;
    context.strokeStyle = colours.grid;
    for (const [value, at, across] of ticks().list) {
      context.globalAlpha = value === 0 ? 1 : 0.55;
      context.beginPath();
      if (across) context.moveTo(0, at), context.lineTo(size, at);
      else context.moveTo(at, 0), context.lineTo(at, size);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /* The values, and the names of the columns at the ends of the axes. */
  function axisLabels() {
    if (!P.labels) return;
    const {step, list} = ticks(), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    context.font = "11px system-ui, sans-serif";
    for (const [value, at, across] of list) {
      if (at < 38 || at > size - 24) continue;
      const text = digits > 6 ? P.number(value) : value.toFixed(digits).replace("-", "−");
      context.textAlign = across ? "left" : "center";
      if (across) label(text, 6, at - 4, colours.muted);
      else label(text, at, size - 6, colours.muted);
    }
    const [x, y] = P.data().columns, short = name => name.length > 24 ? name.slice(0, 23) + "…" : name;
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "right";
    label(short(x), size - 8, size - 22, colours.muted);
    context.textAlign = "left";
    label(short(y), 6, 18, colours.muted);
  }

  /* ---- Regions and contours ---- */

  /* Class of every node by its scores, if the scores decide; otherwise the scores cannot be interpolated. */
  function decide(grid) {
    const {scores, classes} = grid, n = classes.length, count = P.used().length;
    if (/knn|experts/.test(P.learner())) return false;   // votes jump from place to place
    if (scores.length === 1 && count === 2) {
      for (let k = 0; k < n; k++) if (scores[0][k] !== 0 && (scores[0][k] > 0 ? 1 : 0) !== classes[k]) return false;
      return true;
    }
    if (scores.length !== count || count < 2) return false;
    for (let k = 0; k < n; k++)
      for (let c = 0; c < count; c++) if (scores[c][k] > scores[classes[k]]?.[k]) return false;
    return true;
  }

  /* The model's classes are in the order of their names; the page's are in the order of the swatches. */
  P.modelClasses = () => {
    const data = P.data();
    const names = P.model && P.model.report && P.model.report.class_names;
    return names ? names.map(name => data.classes.indexOf(name)) : P.used().sort((a, b) => data.classes[a] < data.classes[b] ? -1 : 1);
  };

  /* The value between four nodes of a grid. */
  function between(s, k, nx, fx, fy) {
    const low = s[k] + (s[k + 1] - s[k]) * fx, high = s[k + nx] + (s[k + nx + 1] - s[k + nx]) * fx;
    return low + (high - low) * fy;
  }

  function regions(grid, classMap) {
    const {nx, ny, classes, scores} = grid, smooth = grid.smooth, n = Math.max(2, Math.round(size / 2));
    field.width = field.height = n;
    const pen2 = field.getContext("2d"), image = pen2.createImageData(n, n), out = image.data;
    const two = scores.length === 1;
    let reference = 1;
    if (smooth && two) {
      const sample = Array.from(scores[0].filter((s, k) => k % 7 === 0), Math.abs).sort((a, b) => a - b);
      reference = sample[Math.floor(sample.length * 0.6)] || 1;
    }
    for (let row = 0; row < n; row++) {
      const gy = (1 - row / (n - 1)) * (ny - 1), j = Math.min(ny - 2, Math.floor(gy)), fy = gy - j;
      for (let column = 0; column < n; column++) {
        const gx = column / (n - 1) * (nx - 1), i = Math.min(nx - 2, Math.floor(gx)), fx = gx - i, k = j * nx + i;
        let c = 0, strength = 0.5;
        if (smooth && two) {
          const s = between(scores[0], k, nx, fx, fy);
          c = s > 0 ? 1 : s < 0 ? 0 : -1;
          strength = Math.min(1, Math.abs(s) / reference);
        } else if (smooth) {
          let best = -Infinity;
          for (let q = 0; q < scores.length; q++) {
            const s = between(scores[q], k, nx, fx, fy);
            if (s > best) best = s, c = q;
          }
        } else c = classes[k + (fx > 0.5 ? 1 : 0) + (fy > 0.5 ? nx : 0)];
        const colour = colours.rgb[classMap[c]];
        if (!colour) continue;
        const to = 4 * (row * n + column);
        out[to] = colour[0];
        out[to + 1] = colour[1];
        out[to + 2] = colour[2];
        out[to + 3] = 26 + 40 * strength;
      }
    }
    pen2.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(field, 0, 0, size, size);
  }

  function level(grid, values, at, style) {
    const {nx, ny} = grid, x = i => i / (nx - 1) * size, y = j => size - j / (ny - 1) * size;
    context.beginPath();
    for (const path of P.contour(values, nx, ny, at)) trace((style.stairs ? smoothed(path) : path).map(([i, j]) => [x(i), y(j)]));
    context.lineWidth = style.width;
    context.strokeStyle = style.colour;
    context.globalAlpha = style.alpha || 1;
    context.setLineDash(style.dash || []);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /* A line between classes follows the nodes of the grid in stairs; the mean of neighbours takes them away. */
  const smoothed = path => path.map((point, i) => {
    const near = path.slice(Math.max(0, i - 3), i + 4);
    return i < 3 || i > path.length - 4 ? point : [0, 1].map(axis => near.reduce((sum, p) => sum + p[axis], 0) / near.length);
  });

  /* Boundary, margins (score 1 and -1) and other levels of the score. */
  function contours(grid, show, margins) {
    const {scores, classes, smooth} = grid;
    if (smooth && scores.length === 1) {
      const values = scores[0];
      if (show.contours && grid.curved) {
        let most = 0;
        for (const s of values) most = Math.max(most, Math.abs(s));
        const step = most > 0 && Number.isFinite(most) ? P.niceStep(most, 4) : 0;
        for (let m = 1; step && m * step < most; m++)
          for (const sign of [-1, 1]) level(grid, values, sign * m * step, {width: 1, colour: colours.ink, alpha: 0.22});
      }
      if (margins && show.margins) for (const at of [-1, 1]) level(grid, values, at, {width: 1.5, colour: colours.ink, dash: [6, 5], alpha: 0.75});
      level(grid, values, 0, {width: 2.5, colour: colours.ink});
      return;
    }
    const count = smooth ? scores.length : Math.max(...classes) + 1;
    for (let c = 0; c < count; c++) {
      const values = new Float64Array(classes.length);
      for (let k = 0; k < values.length; k++) {
        if (!smooth) values[k] = classes[k] === c ? 1 : -1;
        else {
          let other = -Infinity;
          for (let q = 0; q < count; q++) if (q !== c) other = Math.max(other, scores[q][k]);
          values[k] = scores[c][k] - other;
        }
      }
      level(grid, values, 0, {width: 2, colour: colours.ink, stairs: !smooth});
    }
  }

  /* ---- Points ---- */

  function points(scene, show) {
    const list = P.data().points, support = new Set(show.support ? scene.support : []), wrong = new Set(show.mistakes ? scene.wrong : []);
    const many = list.length > 600, r = many ? 3 : list.length > 200 ? 4.2 : 5.5, around = many ? 2.5 : 4.5, thick = many ? 1 : 2;
    list.forEach((p, i) => {
      const [x, y] = P.toPixel(p.x, p.y);
      if (x < -9 || y < -9 || x > size + 9 || y > size + 9) return;
      shape(p.c, x, y, r);
      context.fillStyle = colours.classes[p.c];
      context.fill();
      context.lineWidth = 1.25;
      context.strokeStyle = colours.paper;
      context.stroke();
      if (support.has(i)) pen.ring(p.x, p.y, r + around, colours.ink, Math.min(1.5, thick));
      if (wrong.has(i)) {
        context.lineWidth = thick;
        context.strokeStyle = colours.bad;
        context.beginPath();
        for (const [a, b] of [[-1, -1], [1, 1], [-1, 1], [1, -1]]) {
          context.moveTo(x + a * (r + 1), y + b * (r + 1));
          context.lineTo(x + a * (r + around), y + b * (r + around));
        }
        context.stroke();
      }
    });
  }

  function cursor() {
    if (!P.cursor) return;
    const [x, y] = P.toPixel(P.cursor.x, P.cursor.y);
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.beginPath();
    for (const [a, b] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(x + 6 * a, y + 6 * b);
      context.lineTo(x + 16 * a, y + 16 * b);
    }
    context.stroke();
  }

  /* ---- All ---- */

  P.shows = () => Object.fromEntries([...document.querySelectorAll("#show input")].map(box => [box.name, box.checked]));

  /* What is drawn under the points: the trained model, unless another part (the steps) has its own. */
  const scene = () => P.scenes.map(make => make()).find(Boolean) || (P.model ? {
    grid: P.model.grid, support: P.model.support, wrong: P.model.wrong, margins: P.model.words[2] === "svm",
  } : {grid: null, support: [], wrong: [], margins: false});

  function draw() {
    waiting = false;
    const ratio = window.devicePixelRatio || 1, wide = Math.round(canvas.clientWidth), from = performance.now();
    if (!wide || !colours) return;
    size = wide;
    if (canvas.width !== Math.round(wide * ratio)) canvas.width = canvas.height = Math.round(wide * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, size, size);
    const s = scene(), show = P.shows(), grid = s.grid;
    if (grid && grid.smooth === undefined) {
      grid.smooth = decide(grid);
      grid.curved = isCurved(grid);
    }
    const current = grid && sameView(grid.view, P.data().view);
    if (current && show.regions) regions(grid, P.modelClasses());
    gridLines();
    if (current) contours(grid, show, s.margins);
    for (const name in P.layers) P.layers[name](pen, false);
    axisLabels();
    points(s, show);
    for (const name in P.layers) P.layers[name](pen, true);
    cursor();
    P.drawMs = performance.now() - from;
  }

  const sameView = (a, b) => a.x0 === b.x0 && a.x1 === b.x1 && a.y0 === b.y0 && a.y1 === b.y1;

  /* Levels of a plane are parallel lines that say nothing new; only curved scores get them. */
  function isCurved(grid) {
    if (grid.scores.length !== 1) return false;
    const {nx, ny} = grid, s = grid.scores[0], a = s[0], b = s[nx - 1], c = s[(ny - 1) * nx], d = s[ny * nx - 1];
    const middle = s[Math.floor(ny / 2) * nx + Math.floor(nx / 2)], spread = Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d), 1e-300);
    return Math.abs(a + d - b - c) > 1e-6 * spread || Math.abs(middle - (a + d) / 2) > 0.1 * spread;
  }

  P.draw = function () {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  };
  P.drawNow = draw;

  for (const name of ["points", "model", "drawing", "steps", "certificate", "tab"]) P.on(name, P.draw);
  P.id("show").addEventListener("change", P.draw);
  new ResizeObserver(P.draw).observe(canvas);
})(Playground);
