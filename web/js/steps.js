/* Stepping: an online run, one row at a time, from the trace that the command writes. */
"use strict";

(function (P) {
  const MOST_UPDATES = 400, MOST_VISITS = 4000, GRID = 97;
  const kinds = {
    perceptron: {label: "Perceptron", learner: "perceptron"},
    kernel: {label: "Kernel perceptron", learner: "perceptron", options: {kernel: "rbf(2)"}},
    winnow: {label: "Winnow", learner: "winnow", options: {variant: "winnow2", delta: "0.2"}},
    experts: {label: "Experts", learner: "experts"},
  };

  let run = null, at = 0, stale = true, loading = false, playing = null;

  const kind = () => P.learner() === "perceptron" && P.chosen().kernel ? "kernel" : P.learner();

  /* ---- The commands ---- */

  /* The learner's options for stepping; averages change the model, not the run, so they are left out. */
  function options(names) {
    const words = P.optionWords(), kept = [];
    for (let i = 0; i < words.length; i++) {
      const name = words[i].replace(/^--/, ""), flag = i + 1 === words.length || words[i + 1].startsWith("--");
      const size = flag ? 1 : 2;
      if (names ? names.includes(name) : !["average", "max-updates", "calibrate", "calibrate-folds"].includes(name)) kept.push(...words.slice(i, i + size));
      i += size - 1;
    }
    return kept;
  }
  const train = (...more) => ["halfspace", "train", P.learner(), ...options(), ...more, "points.csv", "-o", "model.hsp"];
  const limit = k => P.learner() === "experts" ? [] : ["--max-updates", String(k)];

  /* Table of the trace: one object per line. */
  function lines(text) {
    const [head, ...rows] = P.parseCsv(text);
    return rows.map(row => Object.fromEntries(head.map((name, j) => [name, row[j] === "" || Number.isNaN(Number(row[j])) ? row[j] : Number(row[j])])));
  }

  async function load() {
    const csv = P.csv(), files = {"points.csv": csv}, chosen = P.chosen(), learner = P.learner(), commands = P.making();
    let star = null;
    if (learner !== "experts") {
      const words = ["halfspace", "train", "svm", "--hard", ...options(["kernel", "gamma", "scale", "normalize"]),
        ...(learner === "perceptron" && chosen.offset === "none" ? ["--offset", "none"] : []), "points.csv", "-o", "star.hsp"];
      const answer = await P.run(words, {files, read: ["star.hsp"], what: "Preparing the steps"});
      star = answer.files && answer.files["star.hsp"];
      if (star) {
        files["star.hsp"] = star;
        commands.push(words);
      }
    }
    const words = train(...limit(MOST_UPDATES), "--trace", "steps.csv", ...(star && learner === "perceptron" ? ["--reference", "star.hsp"] : []));
    const answer = await P.run(words, {files, read: ["steps.csv", "model.hsp"], what: "Preparing the steps"});
    commands.push(words);
    if (answer.error) return {error: answer.error};
    const trace = lines(P.text(answer.files["steps.csv"]));
    const made = {csv, learner, kind: kind(), balanced: learner === "winnow" && chosen.variant === "balanced", trace, report: answer.report, separable: Boolean(star), models: [], bound: null, commands, error: null};
    if (star || learner === "experts") await findBound(made, answer.files["model.hsp"], star, files);
    made.visits = visits(made);
    return made;
  }

  /* The least bound on the number of mistakes whose assumptions hold. */
  async function findBound(made, model, star, files) {
    const words = ["halfspace", "audit", "model.hsp", "points.csv", ...(star ? ["--reference", "star.hsp"] : [])];
    const answer = await P.run(words, {files: Object.assign({"model.hsp": model}, files)});
    if (!answer.report || !answer.report.bounds) return;
    made.commands.push(words);
    const named = ["unit", "radius", "offset", "margin", "doubling", "disjunction", "separator", "squared"];
    const good = answer.report.bounds.filter(b => named.includes(b.name) && b.applies).sort((a, b) => a.bound - b.bound);
    if (good.length) made.bound = good[0];
    const progress = answer.report.bounds.find(b => b.name === "progress" && b.applies);
    if (made.learner !== "winnow" || !progress) return;
    const figure = name => Number((new RegExp(`\\b${name} = ([\\d.e+-]+)`).exec(progress.why) || [])[1]);
    const [v, last] = await Promise.all([star, model].map(async bytes => {
      const show = await P.run(["halfspace", "model", "show", "m.hsp", "--weights", "all"], {files: {"m.hsp": bytes}}), scorer = show.report.scorers[0];
      return [...byColumn(scorer.weights, "weight"), scorer.offset];
    }));
    made.star = {a: figure("a"), sigma: figure("sigma"), g: figure("g"), v};
    made.star.most = towards(made, last);
  }
  const byColumn = (weights, key) => [1, 2].map(j => (weights.find(w => w.column === j) || {[key]: 0})[key]);

  /* Winnow's progress towards v: its weights are (1 + delta)^e, or for balanced the difference of that and (1 + delta)^-e. */
  function towards(made, weights) {
    const base = Math.log(1 + Number(P.chosen().delta || 1)), {v, a} = made.star;
    if (made.balanced) return weights.reduce((sum, w, j) => sum + v[j] * Math.asinh(w / 2) / base, 0);
    return weights.slice(0, 2).reduce((sum, w, j) => sum + v[j] * Math.log(w) / base, 0) / a;
  }

  /* Every row that the run looks at, in order; {row, pass, updates: how many came before, line: of the trace, if it changed w}. */
  function visits(made) {
    const n = P.data().points.length, list = [];
    if (made.learner === "experts") return made.trace.map((line, k) => ({row: line.row - 1, pass: line.pass, updates: k, line}));
    if ((P.chosen().order || "cyclic") !== "cyclic")
      return made.trace.map((line, k) => ({row: line.example - 1, pass: line.pass, updates: k, line}));
    let next = 0;
    for (let pass = 1; pass <= made.report.passes; pass++)
      for (let row = 0; row < n && list.length < MOST_VISITS; row++) {
        const line = made.trace[next], hit = line && line.pass === pass && line.example === row + 1;
        list.push({row, pass, updates: next, line: hit ? line : null});
        if (hit) next++;
        if (hit && next === made.trace.length && !made.report.converged) return list;
      }
    return list;
  }

  /* The model after k updates: trained again with that limit, so that every picture is the command's own. */
  async function modelAfter(made, k) {
    if (k === 0 || made.learner === "experts") return made.learner === "experts" ? expertsAfter(made, k) : {scores: null, grid: null, weights: [0, 0], offset: 0};
    if (made.models[k]) return made.models[k];
    const files = {"points.csv": made.csv};
    const answer = await P.run(train("--max-updates", String(k)), {files, read: ["model.hsp"], what: "Stepping"});
    const bytes = answer.files && answer.files["model.hsp"];
    if (!bytes) return {scores: null, grid: null};
    files["model.hsp"] = bytes;
    const [told, show, grid] = await Promise.all([
      P.run(["halfspace", "predict", "model.hsp", "points.csv", "--scores"], {files, json: false}),
      P.run(["halfspace", "model", "show", "model.hsp", "--weights", "all"], {files}),
      P.gridOf(bytes, GRID),
    ]);
    const scorer = show.report && show.report.scorers && show.report.scorers[0];
    const linear = scorer && show.report.hypothesis === "linear";
    return (made.models[k] = {
      grid, scores: told.text.trimEnd().split("\n").map(line => Number(line.split("\t")[1])),
      weights: linear ? byColumn(scorer.weights, "weight") : null, offset: scorer ? scorer.offset : null,
      drawn: linear ? {w: byColumn(scorer.weights, "file_weight"), b: scorer.file_offset} : null,
      kept: scorer && scorer.coefficients ? scorer.coefficients.length : null,
    });
  }

  /* The experts vote by the sign of their column, after the scaling; their shares are in the trace. */
  function expertsAfter(made, k) {
    const names = Object.keys(made.trace[0]).filter(name => name.startsWith("share of "));
    const shares = k ? names.map(name => made.trace[k - 1][name]) : names.map(() => 1 / names.length);
    const result = {names: names.map(name => name.slice(9)), shares, scores: null, grid: null, weights: null};
    const scale = P.chosen().scale || "none", points = P.data().points, view = P.data().view;
    const zero = axis => scale === "standard" ? points.reduce((sum, p) => sum + p[axis], 0) / points.length
      : scale === "min-max" ? Math.min(...points.map(p => p[axis])) : 0;
    const zeros = [zero("x"), zero("y")], columns = P.data().columns;
    const score = new Float64Array(GRID * GRID), classes = new Int32Array(GRID * GRID);
    for (let j = 0; j < GRID; j++)
      for (let i = 0; i < GRID; i++) {
        const place = [view.x0 + (view.x1 - view.x0) * i / (GRID - 1), view.y0 + (view.y1 - view.y0) * j / (GRID - 1)];
        let sum = 0;
        result.names.forEach((name, e) => {
          const not = name.startsWith("not ") && !columns.includes(name), column = columns.indexOf(not ? name.slice(4) : name);
          sum += shares[e] * (not ? -1 : 1) * Math.sign(place[column] - zeros[column]);
        });
        score[j * GRID + i] = sum;
        classes[j * GRID + i] = sum > 0 ? 1 : 0;
      }
    result.grid = {nx: GRID, ny: GRID, view, classes, scores: [score], smooth: false, curved: false};
    return result;
  }

  /* ---- The panel ---- */

  /* A formula of the command in the signs of this page, and a share that is too small for digits. */
  const signs = [[/<=/g, "≤"], [/\|\|/g, "|"], [/\^2/g, "²"], [/\bg\b/g, "γ"], [/\bDelta\b/g, "Δ"], [/\bdelta\b/g, "δ"], [/\btheta\b/g, "θ"], [/\btau\b/g, "τ"], [/ - /g, " − "]];
  const pretty = formula => signs.reduce((text, [from, to]) => text.replace(from, to), formula);
  const percent = share => share > 0 && share < 1e-4 ? "< 0.01%" : `${P.number(100 * share, 3)}%`;

  const panel = P.id("panel-steps");
  let parts = null;

  function build() {
    const choice = P.make("select", {id: "step-kind", onchange: event => {
      const k = kinds[event.target.value];
      P.choose(k.learner, Object.assign(P.startOptions(k.learner), k.options));
    }}, P.make("option", {value: "", hidden: true}, "Choose a learner"), ...Object.entries(kinds).map(([name, k]) => P.make("option", {value: name}, k.label)));
    const button = (id, text, action, attributes) => P.make("button", Object.assign({type: "button", id, onclick: action}, attributes), text);
    parts = {
      choice,
      slider: P.make("input", {type: "range", class: "stepper", id: "step-at", min: 0, value: 0, "aria-label": "Step", oninput: event => go(Number(event.target.value))}),
      card: P.make("div", {class: "card", id: "step-card", "aria-live": "polite"}),
      bounds: P.make("div", {class: "card", id: "step-bounds"}),
      note: P.make("p", {class: "help"}),
    };
    parts.body = P.make("div", {class: "lesson", style: "display: contents"},
      P.make("div", {class: "player"},
        button("step-start", "Start", () => go(0)), button("step-back", "Back", () => go(at - 1)),
        button("step-next", "Next row", () => go(at + 1), {class: "main"}), button("step-mistake", "Next mistake", nextMistake),
        button("step-play", "Play", play)),
      parts.slider, parts.card, parts.bounds);
    panel.replaceChildren(
      P.make("p", {class: "help"}, "These learners look at one row after the other and change only after a mistake (the experts: after each row). Watch them do it."),
      P.make("div", {class: "field"}, P.make("label", {for: "step-kind"}, "Learner"), choice), parts.note, parts.body);
  }

  function nextMistake() {
    const next = run.visits.findIndex((visit, v) => v >= at && isMistake(visit));
    go(next < 0 ? run.visits.length : next + 1);
  }
  const isMistake = visit => Boolean(visit.line && (run.learner !== "experts" || visit.line.mistakes > (visit.updates ? run.trace[visit.updates - 1].mistakes : 0)));

  function play() {
    if (playing) return pause();
    if (at >= run.visits.length) at = 0;
    P.id("step-play").textContent = "Pause";
    playing = setInterval(() => at >= run.visits.length ? pause() : go(at + 1), 350);
  }
  function pause() {
    clearInterval(playing);
    playing = null;
    if (P.id("step-play")) P.id("step-play").textContent = "Play";
  }

  /* Show the state after this many rows. */
  let wanted = 0;
  async function go(to) {
    if (!run || run.error) return;
    at = wanted = Math.max(0, Math.min(run.visits.length, to));
    const made = run, visit = at ? run.visits[at - 1] : null;
    const before = await modelAfter(made, visit ? visit.updates : 0);
    const after = visit && visit.line ? await modelAfter(made, visit.updates + 1) : before;
    if (made !== run || wanted !== at) return;
    made.shown = {visit, before, after};
    made.drawn = at;
    parts.slider.max = run.visits.length;
    parts.slider.value = at;
    parts.slider.setAttribute("aria-valuetext", `${at} of ${run.visits.length} rows`);
    P.id("step-back").disabled = P.id("step-start").disabled = at === 0;
    P.id("step-next").disabled = P.id("step-mistake").disabled = at === run.visits.length;
    card(made, visit, before, after);
    bounds(made, visit);
    P.emit("steps");
  }

  const pair = (label, value) => P.make("div", {class: "pair"}, P.make("span", {}, label), P.make("span", {}, value));
  const vector = values => `(${values.map(v => P.number(v, 4)).join(", ")})`;

  function multiplied(sign, balanced) {
    if (sign < 0 && P.chosen().variant === "winnow1") return "w is 0 where the row is not";
    return `${balanced ? "w⁺" : "w"} ${sign > 0 ? "times" : "divided by"} (1 + δ)ˣ${balanced ? ", w⁻ the opposite" : ""}`;
  }

  function card(made, visit, before, after) {
    if (!visit) {
      parts.card.replaceChildren(P.make("p", {class: "statement"}, "Before the first row"),
        P.make("p", {}, made.kind === "experts" ? "All experts have the same weight." : made.balanced ? "Each column has two weights, w⁺ and w⁻, both 1; the score uses w = w⁺ − w⁻." : made.learner === "winnow" ? "All weights are 1." : "w is zero: every score is 0."));
      return;
    }
    const p = P.data().points[visit.row], name = P.data().classes[p.c], wrong = isMistake(visit);
    const score = visit.line ? visit.line.score : before.scores ? before.scores[visit.row] : 0;
    const rows = [P.make("p", {class: `statement ${wrong ? "bad" : "good"}`}, wrong ? `Row ${visit.row + 1} is a mistake` : `Row ${visit.row + 1} is on its side`),
      pair("Row", `(${P.number(p.x)}, ${P.number(p.y)}), class ${name}, pass ${visit.pass}`), pair("Score before", P.number(score))];
    if (made.learner === "experts")
      after.names.forEach((expert, e) => rows.push(pair(`Share of ${expert}`, `${percent(before.shares[e])} → ${percent(after.shares[e])}`)));
    else if (visit.line) {
      const sign = made.report.class_names[1] === name ? 1 : -1, rate = P.chosen().rate || "1";
      if (made.kind === "kernel") rows.push(pair("Update", `coefficient of row ${visit.row + 1} ${sign > 0 ? "+" : "−"}${rate}`), pair("Rows kept", P.number(after.kept)));
      else {
        rows.push(pair("Update", made.learner === "winnow" ? multiplied(sign, made.balanced) : `w ${sign > 0 ? "plus" : "minus"} ${rate === "1" ? "" : `${rate} times `}the row`));
        const from = made.learner === "winnow" && !made.balanced && visit.updates === 0 ? [1, 1] : before.weights;
        if (from && after.weights) rows.push(pair("w", `${vector(from)} → ${vector(after.weights)}`));
      }
      if (made.learner === "perceptron" || made.balanced) rows.push(pair("Offset b", `${P.number(before.offset || 0)} → ${P.number(after.offset)}`));
      rows.push(pair("Score after", P.number(visit.line.y_score_after * sign)));
    } else rows.push(P.make("p", {class: "help"}, "Nothing changes."));
    if (at === made.visits.length)
      rows.push(P.make("p", {class: "help"}, made.learner === "experts" ? "All rows have been seen."
        : made.report.converged ? "A whole pass without a mistake: the run ends." : `The steps end here, after ${P.count(made.trace.length, "update")}; the run would go on.`));
    parts.card.replaceChildren(...rows);
  }

  /* Two figures of the proof as bars: value must stay at most (or at least) limit; both grow to their last values. */
  function bars(title, valueLabel, value, limitLabel, limit, most) {
    const width = v => `width: ${Math.max(0, Math.min(100, 100 * v / (most || 1)))}%`;
    return P.make("div", {class: "bound"}, P.make("h3", {}, title),
      P.make("div", {class: "meter", "aria-hidden": "true"}, P.make("span", {style: width(value)})), pair(valueLabel, P.number(value)),
      P.make("div", {class: "meter limit", "aria-hidden": "true"}, P.make("span", {style: width(limit)})), pair(limitLabel, P.number(limit)));
  }

  function bounds(made, visit) {
    const k = visit ? visit.updates + (visit.line ? 1 : 0) : 0, line = k ? made.trace[k - 1] : null, end = made.trace[made.trace.length - 1] || {};
    const rows = [], get = name => line ? line[name] : 0;
    if (made.learner === "experts") experts(made, line, end, rows);
    else {
      if (made.bound) rows.push(bars("Mistakes and their bound", "Mistakes so far", k, `Bound: ${pretty(made.bound.formula)}`, made.bound.bound, made.bound.bound),
        made.bound.why ? P.make("p", {class: "help"}, pretty(made.bound.why)) : "");
      else rows.push(pair("Mistakes so far", P.number(k)));
      if (made.learner === "winnow") {
        winnow(made, k, line, rows);
        if (!made.bound) rows.push(P.make("p", {class: "help"}, "No bound on the mistakes applies here: it needs a separating line" + (made.balanced ? "" : " whose weights are not negative") + ", and a small delta."));
      }
      else if (line && line.inner === undefined || !made.separable)
        rows.push(P.make("p", {class: "help"}, "These points cannot be separated, so there is no w* and no bound: the run may go on for ever."));
      else {
        const most = Math.max(end.inner || 0, end.inner_bound || 0), most2 = Math.max(end.norm2 || 0, end.norm2_bound || 0);
        rows.push(bars("w turns towards w*", "⟨w, w*⟩", get("inner"), "at least k γ", get("inner_bound"), most),
          bars("w does not grow too fast", "|w|²", get("norm2"), "at most k R²", get("norm2_bound"), most2),
          P.make("p", {class: "help"}, "w* is the separator of widest margin, γ the least score that it gives a row on its side, k the number of mistakes. The first bar grows like k, the length of w only like √k; because ⟨w, w*⟩ ≤ |w||w*|, k has an end."
            + (P.chosen().offset === "none" ? "" : " The offset b counts as one more weight, with one more coordinate in every row.")));
      }
    }
    parts.bounds.replaceChildren(...rows);
  }

  function experts(made, line, end, rows) {
    const beta = Number(P.chosen().beta || 0.5), n = Object.keys(made.trace[0] || {}).filter(name => name.startsWith("share of ")).length;
    const value = l => l && l.best_share ? l.best_mistakes * Math.log(1 / beta) + Math.log(l.best_share) : -Math.log(n);   // ln(1/W)
    const fall = l => (l ? l.mistakes : 0) * Math.log(2 / (1 + beta)), least = l => (l ? l.best_mistakes : 0) * Math.log(1 / beta);
    rows.push(bars("Mistakes and their bound", "Mistakes so far", line ? line.mistakes : 0, "Bound, by the best expert so far", line ? line.bound : 0, Math.max(end.bound || 1, end.mistakes || 0)),
      bars("Each mistake costs weight", "ln(N / W), W the weight of all", value(line) + Math.log(n), "at least m ln(2 / (1 + β))", fall(line), value(end) + Math.log(n)),
      bars("The best expert keeps its weight", "ln(1 / W)", Math.max(0, value(line)), "at most m* ln(1 / β)", least(line), Math.max(least(end), value(end), 1e-9)),
      pair("Best expert so far", line ? `${line.best}, ${P.count(line.best_mistakes, "mistake")}` : "–"));
  }

  function winnow(made, k, line, rows) {
    const {star, balanced, trace} = made, {after} = made.shown, columns = P.chosen().offset === "none" ? 2 : 3;
    const [total, cap] = line ? balanced ? [line.ln_total, line.ln_total_bound] : [line.total, line.total_bound] : Array(2).fill(balanced ? Math.log(2 * columns) : 2);
    const [p, d] = line ? [line.promotions, line.demotions] : [0, 0];
    if (star && (P.chosen().variant || "winnow2") !== "winnow1") {
      const value = k ? towards(made, [...after.weights, after.offset]) : 0, least = balanced ? k * star.g : p - (1 - star.sigma) * d;
      rows.push(bars("The right weights grow", balanced ? "⟨v, e⟩, w⁺ = (1 + δ)^e" : "⟨v, e⟩ / a, w = (1 + δ)^e", value,
        balanced ? "at least k γ" : "at least p − (1 − σ) d", least, Math.max(star.most, trace.length)));
    }
    rows.push(bars("The sum of weights does not", balanced ? "ln of the sum of all weights" : "Sum of the weights", total,
      balanced ? "at most ln 2N + k ln cosh ln(1 + δ)" : P.chosen().variant === "winnow1" ? "at most n + θ (δ p − d)" : "at most n + δ θ (p − d / (1 + δ))", cap, Math.max(cap, ...trace.map(l => balanced ? l.ln_total_bound : l.total_bound))),
      pair("Promotions, demotions", `${p}, ${d}`));
  }

  /* ---- Loading ---- */

  async function refresh() {
    if (P.tab() !== "steps" || !stale || loading) return;
    stale = false;
    loading = true;
    pause();
    const known = kinds[kind()];
    parts.choice.value = known ? kind() : "";
    const two = P.used().length === 2;
    parts.body.hidden = true;
    parts.note.textContent = !known ? "Choose a learner that learns one row at a time."
      : !two ? `Steps need points of exactly two classes; there ${P.used().length === 1 ? "is one" : `are ${P.used().length}`}.` : "";
    run = null;
    if (known && two) {
      try {
        run = await load();
      } finally {
        loading = false;
      }
      if (stale) return refresh();
      parts.note.textContent = run.error || "";
      if (!run.error) {
        parts.body.hidden = false;
        P.showCommands(...run.commands);
        await go(0);
      }
    }
    loading = false;
    P.emit("steps");
    if (stale) refresh();
  }

  P.steps = () => run && !run.error ? {run, at, drawn: run.drawn, go, mistakes: run.visits.slice(0, at).filter(isMistake).length} : null;

  /* While the steps are open, the drawing shows the model of the step. */
  P.scenes.push(() => P.tab() === "steps" && run && run.shown ? {grid: run.shown.after.grid, support: [], wrong: [], margins: false} : null);
  P.layers.steps = (pen, above) => {
    if (P.tab() !== "steps" || !run || !run.shown) return;
    const {visit, before, after} = run.shown, colours = P.colours, view = P.data().view;
    if (!above) {
      const old = before.drawn, now = after.drawn;
      if (old && visit && visit.line) pen.line(cutView(old, view), {dash: [4, 5], colour: colours.muted, width: 1.5});
      if (now) arrowOf(pen, now, view, colours.accent);
      return;
    }
    if (!visit) return;
    const p = P.data().points[visit.row];
    pen.ring(p.x, p.y, 12, isMistake(visit) ? colours.bad : colours.accent, 3);
    pen.text(p.x, p.y, `row ${visit.row + 1}`, {dx: 15, dy: -9, colour: colours.ink});
  };

  /* The part of the line <w, x> + b = 0 in the view. */
  function cutView({w, b}, view) {
    const size = view.x1 - view.x0, norm = w[0] ** 2 + w[1] ** 2;
    if (!norm) return [];
    const middle = [(view.x0 + view.x1) / 2, (view.y0 + view.y1) / 2], s = (w[0] * middle[0] + w[1] * middle[1] + b) / norm;
    const foot = [middle[0] - s * w[0], middle[1] - s * w[1]], far = 2 * size / Math.sqrt(norm);
    return [[foot[0] - w[1] * far, foot[1] + w[0] * far], [foot[0] + w[1] * far, foot[1] - w[0] * far]];
  }
  P.cutView = cutView;
  function arrowOf(pen, {w, b}, view, colour) {
    const norm = Math.hypot(...w);
    if (!norm) return;
    const [p, q] = cutView({w, b}, view), foot = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2], long = (view.x1 - view.x0) * 0.14 / norm;
    pen.arrow(foot[0], foot[1], foot[0] + w[0] * long, foot[1] + w[1] * long, colour);
    pen.text(foot[0] + w[0] * long, foot[1] + w[1] * long, "w", {colour});
  }

  P.startSteps = function () {
    build();
    const renew = () => {
      stale = true;
      refresh();
    };
    P.on("points", renew);
    P.on("learner", renew);
    P.on("tab", name => name === "steps" ? refresh() : pause());
    P.on("idle", () => {
      if (P.tab() === "steps" && run && run.commands) P.showCommands(...run.commands);
    });
  };
})(Playground);
