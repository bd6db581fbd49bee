/* Lessons: each sets the playground up, says what to look at, and asks a question that the playground checks. */
"use strict";

(function (P) {
  const panel = P.id("panel-lessons"), lessons = [], done = new Set();
  let open = null, parts = null, checking = 0;

  /* A lesson: {id, title, text: [paragraph], setup: {csv | make, learner, options, tab, view}, look: [sentence],
     question: {text, kind: "do" | "number" | "choice", choices, check(facts, given): true, or a hint}, after: sentence}. */
  P.lesson = lesson => lessons.push(lesson);

  /* What a check may look at. */
  function facts() {
    const model = P.model && !P.model.error ? P.model : null, steps = P.steps();
    return {
      points: P.data().points, classes: P.used(), learner: P.learner(), options: P.chosen(), report: model && model.report, model,
      wrong: model ? model.wrong : [], run: steps && steps.run, certificate: P.certificate(), first: open && open.first,
    };
  }

  async function setUp(lesson) {
    const {setup} = lesson;
    lesson.first = null;
    P.choose(setup.learner, setup.options || {});
    if (setup.make) await P.generate(...setup.make);
    else P.importCsv(setup.csv, "Lesson");
    if (setup.view) P.change({view: setup.view});
    if (setup.tab) P.openTab(setup.tab);
    P.say("");
  }

  /* ---- Pages ---- */

  function list() {
    open = null;
    panel.replaceChildren(
      P.make("p", {class: "help"}, "Short lessons. Each sets up the playground and asks one question."),
      P.make("ol", {class: "lesson-list"}, ...lessons.map((lesson, i) => P.make("li", {}, P.make("button", {type: "button", "data-lesson": lesson.id, onclick: () => show(lesson)},
        P.make("span", {class: "number"}, `${i + 1}`), P.make("span", {}, lesson.title), done.has(lesson.id) ? P.make("span", {class: "done"}, "✓ done") : null)))));
  }

  async function show(lesson) {
    open = lesson;
    parts = {answer: P.make("p", {id: "lesson-answer", role: "status"})};
    const at = lessons.indexOf(lesson), next = lessons[at + 1], also = {steps: "Steps", certificate: "Certificate"}[lesson.setup.tab];
    panel.replaceChildren(
      P.make("div", {class: "row"}, P.make("button", {type: "button", class: "quiet", onclick: list}, "← All lessons"),
        P.make("button", {type: "button", class: "quiet end", onclick: () => setUp(lesson)}, "Set up again")),
      P.make("h2", {id: "lesson-title", tabindex: "-1"}, `${at + 1}. ${lesson.title}`),
      P.make("div", {class: "lesson"}, ...lesson.text.map(text => P.make("p", {}, text))),
      P.make("div", {class: "lesson"}, P.make("h3", {}, "Look at"), P.make("ul", {}, ...lesson.look.map(text => P.make("li", {}, text)))),
      question(lesson),
      P.make("div", {class: "row"}, also ? P.make("button", {type: "button", onclick: () => P.openTab(lesson.setup.tab, true)}, `Open ${also}`) : null,
        P.make("button", {type: "button", class: "end", onclick: () => next ? show(next) : list()}, next ? "Next lesson" : "All lessons")));
    P.id("lesson-title").focus();
    delete panel.dataset.lesson;
    await setUp(lesson);
    P.openTab("lessons");
    panel.dataset.lesson = lesson.id;
  }

  function question(lesson) {
    const {question: q} = lesson, box = P.make("div", {class: "question"}, P.make("p", {}, P.make("strong", {}, q.text)));
    if (q.kind === "do") box.append(P.make("p", {class: "help"}, "The playground notices when you have done it."));
    else {
      const form = P.make("form", {class: q.kind === "number" ? "row" : "", onsubmit: event => {
        event.preventDefault();
        const given = q.kind === "number" ? Number(P.id("lesson-number").value.replace("−", "-")) : (form.querySelector("input:checked") || {}).value;
        check(given);
      }});
      if (q.kind === "number") form.append(P.make("label", {for: "lesson-number"}, "Answer"), P.make("input", {id: "lesson-number", inputmode: "decimal", type: "text", required: true, size: 8}));
      else form.append(P.make("fieldset", {}, P.make("legend", {class: "unseen"}, q.text), ...q.choices.map((choice, i) =>
        P.make("label", {}, P.make("input", {type: "radio", name: "lesson-choice", value: choice, required: true}), choice))));
      form.append(P.make("button", {type: "submit", id: "lesson-check", class: "main"}, "Check"));
      box.append(form);
    }
    box.append(parts.answer);
    return box;
  }

  async function check(given) {
    const lesson = open, turn = ++checking;
    if (!lesson) return;
    const statement = await lesson.question.check(facts(), given);
    if (lesson !== open || turn !== checking) return;
    if (statement === true) {
      done.add(lesson.id);
      parts.answer.className = "good";
      parts.answer.textContent = `✓ ${lesson.after}`;
    } else if (lesson.question.kind !== "do" || !done.has(lesson.id)) {
      parts.answer.className = given === undefined ? "help" : "bad";
      parts.answer.textContent = statement || (given === undefined ? "" : "Not yet. Look again.");
    }
  }

  P.startLessons = function () {
    list();
    for (const name of ["idle", "steps", "certificate"])
      P.on(name, () => {
        if (!open) return;
        if (!open.first && P.model && P.model.report && P.idle()) open.first = {report: P.model.report, points: P.data().points.length};
        if (open.question.kind === "do") check();
      });
    P.on("tab", name => name === "lessons" && !open && list());
  };
  P.openLesson = id => show(lessons.find(lesson => lesson.id === id));
  P.lessonIds = () => lessons.map(lesson => lesson.id);
})(Playground);
