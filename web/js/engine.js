/* Commands: the page trains, steps and certifies by the same command lines as a user in a shell. */
"use strict";

(function (P) {
  const SLOW_MS = 400;             // a training that took longer waits until the pointer is released
  const LIVE_GRID = 41, FINE_GRID = 161, FINEST_GRID = 281;

  let running = false, again = false, dragging = false, last = 0, shown = [];

  /* The drawing shows P.model: what the last training gave. */
  P.model = null;

  /* Show these commands below the drawing. */
  P.showCommands = function (...commands) {
    shown = commands.map(P.command);
    P.id("commands").replaceChildren(...shown.flatMap((line, i) => [
      i ? "\n" : null, P.make("span", {class: "prompt", "aria-hidden": "true"}, "$ "), line].filter(Boolean)));
  };
  P.id("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.join("\n") + "\n");
      P.say("The commands are on the clipboard.");
    } catch (error) {
      getSelection().selectAllChildren(P.id("commands"));
      P.say("The commands are selected; copy them with Ctrl+C.");
    }
  });

  /* ---- One command ---- */

  let busyTimer;
  function busy(text) {
    clearTimeout(busyTimer);
    if (!text) return (P.id("busy").hidden = true);
    progress({text, share: null});
    busyTimer = setTimeout(() => (P.id("busy").hidden = false), 250);
  }
  /* What the command says about its progress; many learners cannot know their share of the work. */
  function progress({text, share}) {
    P.id("busy-text").textContent = text[0].toUpperCase() + text.slice(1);
    if (share === null) P.id("progress").removeAttribute("value");
    else P.id("progress").value = share;
  }
  P.id("cancel").addEventListener("click", () => {
    again = false;
    Halfspace.cancel();
  });

  /* Run a command; the answer has status, report (its JSON), text, warnings, files, and error: a sentence, or null. */
  P.run = async function (words, options) {
    const {files, read, what, json = true} = options || {};
    const argv = words.slice(1).concat(json ? ["--json"] : []);
    const from = performance.now();
    busy(what || "Working");
    let answer;
    try {
      answer = await Halfspace.run(argv, {files: files || {}, read: read || [], onprogress: progress});
    } catch (error) {
      answer = {status: 130, stdout: "", stderr: "", files: {}, cancelled: true};
    } finally {
      busy(null);
    }
    const lines = P.text(answer.stderr || "").split("\n").map(line => line.replace(/^halfspace: /, ""));
    answer.text = P.text(answer.stdout || "");
    answer.warnings = lines.filter(line => line.startsWith("warning: ")).map(line => line.slice(9));
    answer.milliseconds = performance.now() - from;
    try {
      answer.report = json ? JSON.parse(answer.text) : null;
    } catch (error) {
      answer.report = null;
    }
    answer.cancelled = answer.cancelled || answer.status === 130;
    const failed = answer.report && answer.report.error;
    answer.error = answer.cancelled ? "Cancelled." : failed ? sentence(failed) : answer.status > 1 ? lines.filter(Boolean).join(" ") : null;
    return answer;
  };

  /* An error of the command, as a sentence for this page. */
  function sentence(error) {
    const where = error.option ? `${error.option}: ` : error.line ? `Line ${error.line} of ${error.file}: ` : "";
    return where + error.message + (/[.?]$/.test(error.message) ? "" : ".");
  }

  /* ---- Training ---- */

  const order = () => P.data().points.map(p => p.c);

  /* The command that makes points.csv, if there is one. */
  P.making = () => P.data().made ? [P.data().made] : [];

  P.trainWords = () => ["halfspace", "train", P.learner(), ...P.optionWords(), "points.csv", "-o", "model.hsp"];

  /* The scores of a model on a grid over the view. */
  P.gridOf = async function (bytes, n) {
    const view = P.data().view;
    try {
      const grid = await Halfspace.grid(bytes, {x0: view.x0, x1: view.x1, nx: n, y0: view.y0, y1: view.y1, ny: n});
      return Object.assign(grid, {nx: n, ny: n, view});
    } catch (error) {
      return null;
    }
  };

  async function trainOnce() {
    const used = P.used();
    if (used.length < 2) {
      P.model = null;
      P.showCommands(...P.making(), P.trainWords());
      P.emit("model");
      return;
    }
    const text = P.csv(), words = P.trainWords(), classes = order();
    P.showCommands(...P.making(), words);
    const answer = await P.run(words, {files: {"points.csv": text}, read: ["model.hsp"], what: "Training"});
    const model = {
      words, csv: text, error: answer.error, report: answer.error ? null : answer.report, warnings: answer.warnings,
      bytes: answer.files && answer.files["model.hsp"], milliseconds: answer.milliseconds, grid: null, details: null, wrong: [], support: [],
    };
    last = answer.milliseconds;
    if (model.bytes) {
      model.grid = await P.gridOf(model.bytes, LIVE_GRID);
      await details(model, classes);
    }
    P.model = model;
    P.emit("model");
    if (!model.bytes || again || last > SLOW_MS) return;
    model.grid = await P.gridOf(model.bytes, model.words[2] === "knn" ? FINEST_GRID : FINE_GRID) || model.grid;
    P.emit("drawing");
  }

  /* What a second look at the model gives: weights, support vectors, rows on the wrong side. */
  async function details(model, classes) {
    const files = {"points.csv": model.csv, "model.hsp": model.bytes};
    const show = await P.run(["halfspace", "model", "show", "model.hsp", "--dual", "--weights", "all"], {files});
    if (show.report && show.report.scorers) {
      model.details = show.report;
      const rows = new Set();
      if (model.words[2] === "svm")
        for (const scorer of show.report.scorers)
          for (const entry of scorer.dual && scorer.dual.length ? scorer.dual : scorer.coefficients || [])
            if (entry.coefficient !== 0) rows.add(entry.row - 1);
      model.support = [...rows];
    }
    const told = await P.run(["halfspace", "predict", "model.hsp", "points.csv", "--scores"], {files, json: false});
    const names = P.data().classes;
    if (told.status !== 0) return;
    model.looked = true;
    told.text.trimEnd().split("\n").forEach((line, i) => {
      if (line.split("\t")[0] !== names[classes[i]]) model.wrong.push(i);
    });
  }

  /* Train with the points as they are now. Calls during a run lead to one more run after it. */
  P.train = async function () {
    if (dragging && last > SLOW_MS) return;
    again = true;
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        await trainOnce();
      }
    } finally {
      running = false;
      P.emit("idle");
    }
  };
  P.idle = () => !running;

  P.on("tab", name => name === "learn" && P.learnerNames().length && P.showCommands(...P.making(), P.trainWords()));
  P.on("points", P.train);
  P.on("learner", P.train);
  P.on("gesture", active => {
    dragging = active;
    if (!active && last > SLOW_MS) P.train();
  });

  /* ---- Generators ---- */

  P.generators = {
    separable: ["separable", "--features", "2", "--margin", "0.1"],
    moons: ["moons", "--spread", "0.12"],
    xor: ["xor"],
    rings: ["rings", "--spread", "0.08"],
    noise: ["halfspace", "--features", "2", "--noise", "0.15"],
  };

  P.generate = async function (name, rows, seed) {
    const words = ["halfspace", "make", ...P.generators[name], "--rows", String(rows), "--seed", String(seed), "-o", "points.csv"];
    const answer = await P.run(words, {read: ["points.csv"], what: "Generating"});
    if (answer.error) return P.say(answer.error, true);
    P.importCsv(P.text(answer.files["points.csv"]), P.command(words.slice(0, 3)), words);
  };
})(Playground);
