/* What the last training gave, in words and figures. */
"use strict";

(function (P) {
  /* Figures of the report that are worth a line, if the report has them: key, label, text. */
  const figures = [
    ["margin", "Margin", (v, r) => r.neighbors ? null : P.number(v)],
    ["support_vectors", "Support vectors", (v, r) => r.learner === "svm" ? P.number(v) : null],
    ["updates", "Updates", (v, r) => r.mistakes_last_pass == null || r.neighbors ? null : P.number(v)],
    ["mistakes", "Mistakes on the way", (v, r) => r.mistake_bound ? `${P.number(v)} (at most ${P.number(r.mistake_bound)})` : P.number(v)],
    ["best_expert", "Best expert", (v, r) => `${r.best_negated ? "not " : ""}${v}, with ${P.number(100 * r.best_share, 3)}% of the weight`],
    ["passes", "Passes", (v, r) => r.neighbors ? null : P.number(v)],
    ["objective", "Objective", (v, r) => r.dual_objective == null ? P.number(v) : `${P.number(v)} (optimum at least ${P.number(r.dual_objective)})`],
    ["kernel", "Kernel", v => v],
  ];

  function headline(r, model) {
    if (r.stop === "inseparable") return ["No straight line separates these points.", "bad"];
    if (r.training_error == null && !model.looked) return ["Trained.", "good"];
    const wrong = r.training_error == null ? model.wrong.length : Math.round(r.training_error * r.rows);
    if (wrong === 0) return [`All ${r.rows} points are on their side.`, "good"];
    return [`${wrong} of ${P.count(r.rows, "point")} ${wrong === 1 ? "is" : "are"} on the wrong side (${P.number(100 * wrong / r.rows, 3)}%).`, "bad"];
  }

  /* The rows that show that there is no separator, if the learner found that. */
  const evidence = r => r.stop === "inseparable" && r.evidence && r.evidence.class == null ? r.evidence.rows.map(row => row - 1) : null;
  P.layers.evidence = (pen, above) => {
    const rows = above && P.tab() === "learn" && P.model && P.model.report && P.model.csv === P.csv() && evidence(P.model.report);
    for (const row of rows || []) pen.ring(P.data().points[row].x, P.data().points[row].y, 10, P.colours.bad, 2);
  };

  function weights(model) {
    const scorers = model.details && model.details.scorers;
    if (!scorers || model.details.hypothesis !== "linear" || scorers.length !== 1) return null;
    const terms = scorers[0].weights.slice().sort((a, b) => a.column - b.column).map(w => `${P.number(w.file_weight ?? w.weight, 3)}·${w.name}`);
    const offset = scorers[0].file_offset ?? scorers[0].offset;
    return `score = ${terms.concat(P.number(offset, 3)).join(" + ")}`.replace(/\+ −/g, "− ");
  }

  /* The drawing in a sentence, for those who cannot see it. */
  function describe(model) {
    const used = P.used(), counts = used.map(c => `${P.data().points.filter(p => p.c === c).length} of class ${P.data().classes[c]}`);
    const said = model && model.report ? headline(model.report, model)[0] : "Nothing is trained.";
    P.id("canvas").setAttribute("aria-label", `${counts.length ? `Points: ${counts.join(", ")}.` : "No points."} ${said}`);
  }

  function show() {
    const box = P.id("result"), model = P.model;
    describe(model);
    P.id("save-model").hidden = !(model && model.bytes);
    if (!model) {
      box.replaceChildren(P.make("p", {class: "statement"}, P.data().points.length ? "Place points of a second class to train." : "Place points of two classes to train."));
      return;
    }
    if (model.error) {
      box.replaceChildren(P.make("p", {class: "statement bad"}, model.error));
      return;
    }
    const r = model.report, [text, mood] = headline(r, model), list = P.make("dl", {});
    for (const [key, label, format] of figures) {
      const value = r[key] == null ? null : format(r[key], r);
      if (value != null) list.append(P.make("div", {}, P.make("dt", {}, label), P.make("dd", {}, value)));
    }
    const score = weights(model), rows = evidence(r);
    box.replaceChildren(...[
      P.make("p", {class: `statement ${mood}`}, text), rows && P.make("p", {}, `The circled rows prove it: ${rows.map(row => row + 1).join(", ")}. The certificate shows how.`), list, score && P.make("p", {class: "formula"}, score),
      ...model.warnings.map(warning => P.make("p", {class: "message bad"}, warning[0].toUpperCase() + warning.slice(1))),
      P.make("p", {class: "help"}, `Trained in ${P.number(Math.max(1, Math.round(model.milliseconds)))} ms.`),
    ].filter(Boolean));
    if (P.id("report").open) report();
  }

  /* The text that the command prints, when somebody wants to see it. */
  async function report() {
    const model = P.model;
    if (!P.id("report").open || !model || model.error) return;
    const answer = await P.run(model.words, {files: {"points.csv": model.csv}, json: false});
    P.id("report-text").textContent = answer.text || answer.error || "";
  }

  P.on("model", show);
  P.id("report").addEventListener("toggle", report);
  P.id("save-model").addEventListener("click", event => {
    event.preventDefault();
    if (P.model && P.model.bytes) P.download("model.hsp", P.model.bytes);
  });
})(Playground);
