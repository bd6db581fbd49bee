/* The certificate: separable or not, the widest margin, optimality; drawn, checked here, and saved with the points. */
"use strict";

(function (P) {
  const panel = P.id("panel-certificate");
  let parts = null, certificate = null;

  /* ---- Making and checking ---- */

  const about = () => parts.model.checked && P.model && P.model.bytes && P.model.csv === P.csv() && P.used().length === 2 ? P.model.bytes : null;
  const kernel = () => parts.kernel.checked && P.model && P.model.report && P.model.report.kernel;

  function words(model) {
    const many = P.used().length > 2 ? ["--positive", P.data().classes[Number(parts.positive.value)]] : [];
    const space = kernel() ? ["--kernel", kernel()] : [];
    return ["halfspace", "certify", "points.csv", ...many, ...space, ...(model ? ["--model", "model.hsp"] : []), "-o", "points.cert"];
  }

  async function certify() {
    const model = about(), csv = P.csv(), command = words(model), files = {"points.csv": csv};
    if (model) files["model.hsp"] = model;
    parts.button.disabled = true;
    const answer = await P.run(command, {files, read: ["points.cert"], what: "Certifying"});
    parts.button.disabled = false;
    const file = answer.files && answer.files["points.cert"];
    certificate = {csv, command, error: answer.error || (file ? null : "No claim could be made about these points."), report: answer.report};
    if (file) {
      certificate.file = P.text(file);
      certificate.content = JSON.parse(certificate.file);
      certificate.classes = P.used().length > 2 ? [Number(parts.positive.value)] : null;
      await check();
    }
    certificate.commands = [...P.making(), ...(model ? [P.model.words] : []), command, ["halfspace-verify", "points.cert", "points.csv"]];
    P.showCommands(...certificate.commands);
    show();
    P.emit("certificate");
  }

  /* The checker is another program, compiled for this page; it shares no code with the one that made the certificate. */
  async function check() {
    try {
      const answer = await Halfspace.verify(["points.cert", "points.csv"], {"points.cert": certificate.file, "points.csv": certificate.csv});
      certificate.checked = {good: answer.status === 0, text: (P.text(answer.stdout || "") + P.text(answer.stderr || "")).trim()};
    } catch (error) {
      certificate.checked = {good: false, text: `The checker did not run: ${error.message}.`};
    }
  }

  /* ---- What it says ---- */

  const claims = name => certificate.content.claims.filter(claim => claim.claim === name);
  const rowList = rows => rows.length === 1 ? `row ${rows[0]}` : `rows ${rows.slice(0, -1).join(", ")} and ${rows[rows.length - 1]}`;

  function sentences() {
    const said = [];
    for (const claim of claims("separable")) {
      const {low, high} = claim.margin || {}, where = claim.kernel ? "In the feature space of the kernel, the classes can be separated." : "A straight line separates the classes.";
      said.push(["good", where]);
      if (low) said.push(["", `The widest margin is at least ${low} and at most ${high}. ${capital(rowList(claim.multipliers.map(m => m[0])))} decide it.`]);
    }
    for (const claim of claims("not separable"))
      said.push(["bad", claim.kernel ? "Not even in the feature space of the kernel can the classes be separated." : "No straight line separates the classes."],
        ["", `${capital(rowList(claim.multipliers.map(m => m[0])))} prove it: the hulls of these rows share a point.`]);
    for (const claim of claims("optimal")) said.push(["", `The trained model is optimal: its objective is at most ${P.number(Number(claim.gap))} above the least possible.`]);
    for (const claim of claims("stable predictions")) said.push(["", claim.may_change.length
      ? `The exact optimum may predict ${P.count(claim.may_change.length, "point")} differently.` : "The exact optimum predicts the same class for every point."]);
    const others = certificate.content.claims.filter(claim => !["separable", "not separable", "optimal", "stable predictions"].includes(claim.claim));
    for (const claim of others) said.push(["", {
      mistakes: "The number of mistakes of the run is within its bound.", kernel: "The kernel's matrix on these rows is positive semidefinite.",
    }[claim.claim] || `The claim "${claim.claim}" holds.`]);
    return said;
  }
  const capital = text => text[0].toUpperCase() + text.slice(1);

  function show() {
    const box = parts.result, fresh = certificate && certificate.csv === P.csv();
    many();
    if (!certificate) return box.replaceChildren();
    if (!fresh) return box.replaceChildren(P.make("p", {class: "help"}, "The points have changed since the last certificate."));
    if (certificate.error) return box.replaceChildren(P.make("p", {class: "statement bad"}, certificate.error));
    const {good, text} = certificate.checked, left = (certificate.report.claims || []).filter(claim => !claim.made && claim.why);
    box.replaceChildren(
      ...sentences().map(([mood, sentence]) => P.make("p", {class: mood ? `statement ${mood}` : ""}, sentence)),
      ...left.map(claim => P.make("p", {class: "help"}, `Not claimed: ${claim.claim}: ${claim.why}.`)),
      P.make("div", {class: "card", id: "checked"},
        P.make("p", {class: good ? "good" : "bad"}, good ? "✓ Checked in this page: every claim holds." : "The checker did not confirm this certificate."),
        P.make("details", {}, P.make("summary", {}, "What the checker says"), P.make("pre", {tabindex: "0", "aria-label": "Output of the checker"}, text))),
      P.make("div", {class: "row"}, P.make("button", {type: "button", id: "save-certificate", class: "main", onclick: save}, "Save certificate and points")),
      P.make("p", {class: "help"}, "Anybody can check the two files with ", P.make("code", {}, "halfspace-verify points.cert points.csv"), ", without trusting this page."));
  }

  function save() {
    P.download("points.csv", certificate.csv);
    P.download("points.cert", certificate.file);
  }

  /* ---- The drawing: hulls, and the points of both that are nearest, or that they share ---- */

  function halves() {
    const {positive} = certificate.content.data, names = P.data().classes, rows = P.data().points;
    const isPositive = p => positive.includes(names[p.c]);
    return {rows, isPositive, sides: [rows.filter(p => !isPositive(p)), rows.filter(isPositive)]};
  }

  /* The mean of the rows on one side, weighted by the evidence. */
  function mean(claim, rows, wanted) {
    let x = 0, y = 0, total = 0;
    for (const [row, text] of claim.multipliers) {
      const p = rows[row - 1], weight = Number(text);
      if (!p || !wanted(p)) continue;
      x += weight * p.x;
      y += weight * p.y;
      total += weight;
    }
    return [x / total, y / total];
  }

  const visible = () => P.tab() === "certificate" && certificate && !certificate.error && certificate.csv === P.csv();
  /* What is claimed in the feature space of a kernel cannot be drawn by hulls in the plane: the trained model stays. */
  const inPlane = () => visible() && certificate.content.claims.some(claim => /separable$/.test(claim.claim) && !claim.kernel);
  P.scenes.push(() => inPlane() ? {grid: null, support: [], wrong: [], margins: false} : null);
  P.layers.certificate = (pen, above) => {
    if (!inPlane()) return;
    const {rows, isPositive, sides} = halves(), c = P.colours, corner = p => [p.x, p.y];
    const shades = sides.map(side => side.length && side.every(p => p.c === side[0].c) ? c.classes[side[0].c] : c.muted);
    if (!above) {
      sides.forEach((side, s) => pen.line(P.hull(side).map(corner), {close: true, fill: shades[s], alpha: 0.16, colour: shades[s], width: 1.5}));
      for (const claim of claims("separable")) if (claim.separator.w) {
        const w = [1, 2].map(j => Number((claim.separator.w.find(entry => entry[0] === j) || [0, "0"])[1]));
        pen.line(P.cutView({w, b: Number(claim.separator.b)}, P.data().view), {colour: c.accent, width: 2.5});
      }
      return;
    }
    for (const claim of claims("separable")) if (!claim.kernel && claim.multipliers) {
      const near = [mean(claim, rows, p => !isPositive(p)), mean(claim, rows, isPositive)];
      pen.line(near, {colour: c.accent, width: 2.5, dash: [2, 4]});
      near.forEach(([x, y]) => pen.dot(x, y, {colour: c.accent, radius: 5}));
      pen.text((near[0][0] + near[1][0]) / 2, (near[0][1] + near[1][1]) / 2, "2 × margin", {colour: c.accent, dx: 10, dy: 16});
    }
    for (const claim of claims("not separable")) if (!claim.kernel) {
      const used = claim.multipliers.map(([row]) => rows[row - 1]).filter(Boolean);
      for (const side of [used.filter(isPositive), used.filter(p => !isPositive(p))])
        pen.line(P.hull(side).map(corner), {close: true, colour: c.ink, width: 2, dash: [5, 4]});
      used.forEach(p => pen.ring(p.x, p.y, 10, c.ink, 2));
      const [x, y] = mean(claim, rows, isPositive);
      pen.dot(x, y, {colour: c.accent, fill: c.accent, radius: 6});
      pen.text(x, y, "in both", {colour: c.accent, dx: -20, dy: 24});
    }
  };

  /* ---- The panel ---- */

  function many() {
    const used = P.used(), chosen = parts.positive.value;
    parts.many.hidden = used.length < 3;
    parts.positive.replaceChildren(...used.map(c => P.make("option", {value: c, selected: String(c) === chosen}, P.data().classes[c])));
    parts.button.disabled = used.length < 2;
    parts.kernelRow.hidden = !(P.model && P.model.report && P.model.report.kernel);
    if (parts.kernelRow.hidden) parts.kernel.checked = false;
  }

  P.certificate = () => certificate && certificate.csv === P.csv() ? certificate : null;

  P.startCertificate = function () {
    parts = {
      positive: P.make("select", {id: "positive"}), model: P.make("input", {type: "checkbox", id: "about-model", checked: true}),
      kernel: P.make("input", {type: "checkbox", id: "about-kernel"}), result: P.make("div", {id: "certificate-result", "aria-live": "polite", class: "stack"}),
      button: P.make("button", {type: "button", id: "certify", class: "main", onclick: certify}, "Certify"),
    };
    parts.many = P.make("div", {class: "field"}, P.make("label", {for: "positive"}, "Class"), parts.positive, P.make("p", {class: "help"}, "This class against all others."));
    parts.kernelRow = P.make("div", {class: "field flag"}, parts.kernel, P.make("label", {for: "about-kernel"}, "In the feature space of the kernel"));
    panel.replaceChildren(
      P.make("p", {class: "help"}, "A certificate says whether a straight line separates the classes, and how wide the gap is, with evidence in exact numbers."),
      parts.many, P.make("div", {class: "field flag"}, parts.model, P.make("label", {for: "about-model"}, "Also about the trained model")), parts.kernelRow,
      P.make("div", {class: "row"}, parts.button), parts.result);
    P.on("points", show);
    P.on("model", many);
    P.on("tab", name => {
      if (name !== "certificate") return;
      show();
      if (P.certificate()) P.showCommands(...certificate.commands);
    });
    many();
  };
})(Playground);
