/* Geometry of the drawing: contours of a grid of scores, convex hulls. */
"use strict";

(function (P) {
  /* The lines where a grid of values has this level (marching squares), as lists of [i, j] in units of cells;
     values[j * nx + i] is at node (i, j). */
  P.contour = function (values, nx, ny, level) {
    const ends = new Map(), paths = new Set();
    const cut = (a, b) => (level - a) / (b - a);
    const key = point => point[0] * 65536 + point[1];

    /* Add a piece; where it meets the end of a path, both become one. Neighbouring cells compute the same bits for a shared end. */
    function add(p, q) {
      let path = [p, q];
      for (const [end, mine] of [[p, 0], [q, 1]]) {
        const other = ends.get(key(end));
        if (!other) continue;
        ends.delete(key(end));
        if (other === path) continue;           // a closed line
        if (mine === 0) path = (key(other[0]) === key(end) ? other.reverse() : other).concat(path.slice(1));
        else path = path.concat((key(other[0]) === key(end) ? other : other.reverse()).slice(1));
        paths.delete(other);
        ends.delete(key(mine === 0 ? path[0] : path[path.length - 1]));
      }
      paths.add(path);
      if (key(path[0]) === key(path[path.length - 1])) return;
      ends.set(key(path[0]), path);
      ends.set(key(path[path.length - 1]), path);
    }

    for (let j = 0; j + 1 < ny; j++)
      for (let i = 0; i + 1 < nx; i++) {
        const k = j * nx + i, a = values[k], b = values[k + 1], c = values[k + nx + 1], d = values[k + nx];
        const kind = (a > level) + 2 * (b > level) + 4 * (c > level) + 8 * (d > level);
        if (kind === 0 || kind === 15) continue;
        const south = () => [i + cut(a, b), j], east = () => [i + 1, j + cut(b, c)];
        const north = () => [i + cut(d, c), j + 1], west = () => [i, j + cut(a, d)];
        const middle = (a + b + c + d) / 4 > level;
        if (kind === 1 || kind === 14) add(south(), west());
        else if (kind === 2 || kind === 13) add(south(), east());
        else if (kind === 4 || kind === 11) add(east(), north());
        else if (kind === 8 || kind === 7) add(north(), west());
        else if (kind === 3 || kind === 12) add(west(), east());
        else if (kind === 6 || kind === 9) add(south(), north());
        else if ((kind === 5) === middle) {
          add(south(), east());
          add(north(), west());
        } else {
          add(south(), west());
          add(east(), north());
        }
      }
    return [...paths];
  };

  /* The corners of the convex hull, in order around it. */
  P.hull = function (points) {
    const sorted = points.slice().sort((p, q) => p.x - q.x || p.y - q.y);
    const turn = (o, p, q) => (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
    const half = list => {
      const chain = [];
      for (const p of list) {
        while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
        chain.push(p);
      }
      chain.pop();
      return chain;
    };
    if (sorted.length < 3) return sorted;
    return half(sorted).concat(half(sorted.reverse()));
  };

  /* Round values for the lines of a scale: 1, 2 or 5 times a power of ten. */
  P.niceStep = function (range, lines) {
    const raw = range / lines, power = 10 ** Math.floor(Math.log10(raw));
    return power * [1, 2, 5, 10].find(m => m * power >= raw * 0.999);
  };
})(Playground);
