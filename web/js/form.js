/* The form of the chosen learner. It is made from the learner's option table (halfspace learners --json). */
"use strict";

(function (P) {
  /* What this page adds to the tables: which options come first, where the page starts from another value than the command, sliders, examples. */
  const first = {
    perceptron: ["offset", "passes", "kernel", "average"], winnow: ["variant", "delta", "passes"], experts: ["beta", "negated"],
    svm: ["C", "kernel", "gamma", "hard"], logistic: ["C", "kernel", "gamma"], lp: ["offset", "soft"], knn: ["k", "metric", "vote"],
  };
  const starts = {
    perceptron: {passes: "until-converged", "max-passes": "100"}, winnow: {variant: "balanced", scale: "min-max", passes: "until-converged", "max-passes": "100"}, experts: {negated: true, scale: "standard"},
    svm: {C: "1", "keep-dual": true}, logistic: {C: "1"},
  };
  const sliders = {
    C: {low: -3, high: 4, step: 0.25, log: true}, gamma: {low: -2, high: 3, step: 0.125, log: true}, k: {low: 1, high: 41, step: 2},
    beta: {low: 0.05, high: 0.95, step: 0.05}, delta: {low: 0.1, high: 2, step: 0.1},
  };
  const examples = {kernel: ["rbf", "rbf(10)", "poly(2,1)", "poly(3,1)"], metric: ["l1", "l2", "linf"]};

  let tables = [], learner = "svm";
  const values = {};              // values[learner][option]: text, or true for a flag; absent: the default

  P.learner = () => learner;
  P.chosen = () => Object.assign({}, values[learner]);
  P.table = () => tables.find(table => table.name === learner);
  const namesFile = option => /^(FILE|MODEL)$/.test(option.meta) || option.name === "row-weight";   // the page has no files
  const optionsOf = name => tables.find(table => table.name === name).options.filter(option => !namesFile(option));

  P.optionWords = () => optionsOf(learner).flatMap(option => {
    const value = values[learner][option.name];
    if (value === undefined || value === "" || value === false || value === option.default) return [];
    if (option.type === "flag") return [`--${option.name}`];
    if (option.type === "list") return value.split(/[\s;]+/).filter(Boolean).flatMap(word => [`--${option.name}`, word]);
    return [`--${option.name}`, value];
  });

  /* Choose a learner; with options, exactly these, otherwise what was set before. */
  P.choose = function (name, options) {
    if (!tables.some(table => table.name === name)) return;
    learner = name;
    if (options) {
      const known = optionsOf(name);
      values[name] = {};
      for (const [key, value] of Object.entries(options))
        if (known.some(option => option.name === key) && (value === true || typeof value === "string")) values[name][key] = value;
    }
    P.id("learner").value = name;
    fill();
    P.emit("learner");
  };
  P.setOption = function (name, value) {
    values[learner][name] = value;
    fill();
    P.emit("learner");
  };
  P.startOptions = name => Object.assign({}, starts[name]);

  /* ---- Checks, by the table ---- */

  function complaint(option, text) {
    if (text === "" || (option.choices && option.choices.includes(text))) return null;
    if (option.type !== "real" && option.type !== "integer") return null;
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) return "This needs a number" + (option.choices ? `, or ${option.choices.join(", ")}.` : ".");
    if (option.type === "integer" && !Number.isInteger(value)) return "This needs a whole number.";
    if (value < option.min) return `At least ${P.number(option.min)}.`;
    if (value > option.max) return `At most ${P.number(option.max)}.`;
    return null;
  }

  /* ---- Fields ---- */

  function field(option) {
    const id = `option-${option.name}`, value = values[learner][option.name];
    const help = P.make("p", {class: "help", id: `${id}-help`}, option.help[0].toUpperCase() + option.help.slice(1) + ".");
    const wrong = P.make("p", {class: "message bad", id: `${id}-wrong`, "aria-live": "polite"});
    const attributes = {id, name: option.name, "aria-describedby": `${id}-help ${id}-wrong`};
    const label = P.make("label", {for: id}, option.name.replace(/-/g, " "));
    const set = text => {
      const bad = typeof text === "string" ? complaint(option, text) : null;
      wrong.textContent = bad || "";
      P.id(id).setAttribute("aria-invalid", bad ? "true" : "false");
      if (bad) return;
      values[learner][option.name] = text;
      P.emit("learner");
    };
    if (option.type === "flag")
      return P.make("div", {class: "field flag"},
        P.make("input", Object.assign(attributes, {type: "checkbox", checked: value === true, onchange: event => set(event.target.checked)})), label, help, wrong);
    if (option.type === "choice")
      return P.make("div", {class: "field"}, label,
        P.make("select", Object.assign(attributes, {onchange: event => set(event.target.value)}),
          ...option.choices.map(choice => P.make("option", {value: choice, selected: choice === (value || option.default)}, choice))), help, wrong);
    const suggestions = (option.choices || []).concat(examples[option.name] || []);
    const input = P.make("input", Object.assign(attributes, {
      type: "text", inputmode: option.type === "text" || option.choices ? "text" : "decimal", placeholder: option.default || "none", spellcheck: "false",
      value: value === undefined ? "" : value, oninput: event => {
        set(event.target.value.trim());
        if (slider) slider.value = toSlider(event.target.value);
      },
    }));
    const shape = sliders[option.name];
    const toSlider = text => shape.log ? Math.log10(Number(text) || 1) : Number(text) || Number(option.default) || 0;
    const slider = shape && P.make("input", {
      type: "range", min: shape.low, max: shape.high, step: shape.step, value: toSlider(value || option.default), "aria-label": `${option.name}, slider`,
      oninput: event => {
        const at = Number(event.target.value);
        input.value = String(Number((shape.log ? 10 ** at : at).toPrecision(3)));
        set(input.value);
      },
    });
    const chips = suggestions.length ? P.make("div", {class: "chips"}, ...suggestions.map(word => P.make("button", {
      type: "button", class: "chip", "aria-label": `${option.name} ${word}`, onclick: () => {
        input.value = input.value === word ? "" : word;
        set(input.value);
      },
    }, word))) : null;
    return P.make("div", {class: "field" + (slider ? " with-slider" : "")}, label, slider, input, chips, help, wrong);
  }

  function fill() {
    const table = P.table(), form = P.id("options"), main = first[learner] || [], open = form.querySelector("details")?.open;
    P.id("learner-summary").textContent = table.summary[0].toUpperCase() + table.summary.slice(1) + ".";
    const all = optionsOf(learner), head = main.map(name => all.find(option => option.name === name)).filter(Boolean);
    const rest = all.filter(option => !head.includes(option));
    form.replaceChildren(
      ...head.map(field),
      P.make("details", {open: Boolean(open)}, P.make("summary", {}, `More options (${rest.length})`), ...rest.map(field)),
      P.make("div", {class: "row"}, P.make("button", {type: "button", class: "quiet", onclick: () => P.choose(learner, P.startOptions(learner))}, "Reset options")));
  }

  P.startForm = async function () {
    const answer = await P.run(["halfspace", "learners"], {what: "Starting"});
    tables = answer.report.learners;
    for (const table of tables) values[table.name] = P.startOptions(table.name);
    const names = {perceptron: "Perceptron", winnow: "Winnow", experts: "Experts", svm: "Support vector machine", logistic: "Logistic regression", lp: "Linear programming", knn: "Nearest neighbours"};
    P.id("learner").replaceChildren(...tables.map(table => P.make("option", {value: table.name}, names[table.name] || table.name)));
    P.id("learner").value = learner;
    P.id("learner").addEventListener("change", event => P.choose(event.target.value));
    fill();
  };
  P.learnerNames = () => tables.map(table => table.name);
})(Playground);
