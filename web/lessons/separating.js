/* Lessons about straight lines: the perceptron, its bound, the offset, and what cannot be separated. */
"use strict";

(function (P) {
  const near = (value, given) => Math.abs(value - given) < 1e-9 || "Not yet. Look again.";

  P.lesson({
    id: "line",
    title: "A line has two sides",
    text: [
      "A linear classifier multiplies each coordinate by a weight, adds an offset b, and looks at the sign: score = ⟨w, x⟩ + b. Where the score is 0 lies a straight line. On one side the prediction is one class, on the other side the other.",
      "The training error is the share of the points on the wrong side. Drag some points and watch the line follow.",
    ],
    setup: {
      learner: "svm", options: {C: "10", "keep-dual": true}, view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.8,0.3,A\n-0.5,0.7,A\n-0.4,-0.1,A\n-0.7,-0.5,A\n-0.2,0.5,A\n0.5,-0.6,B\n0.8,0.1,B\n0.4,0.2,B\n0.3,-0.3,B\n0.9,-0.5,B\n",
    },
    look: ["The colour of a region is the class predicted there.", "Red corners mark points on the wrong side."],
    question: {
      kind: "do", text: "Drag points until exactly two are on the wrong side.",
      check: f => f.report && Math.round(f.report.training_error * f.report.rows) === 2,
    },
    after: "Two points are on the wrong side: the training error is two divided by the number of points.",
  });

  P.lesson({
    id: "perceptron",
    title: "Learning from mistakes",
    text: [
      "The perceptron starts with w = 0 and looks at one row after the other. While a row is on its side, nothing happens. After a mistake, the row is added to w, or subtracted if its class is the negative one. This turns the line so that the row's score moves in the right direction.",
      "It goes through the rows again and again, until a whole pass has no mistake.",
    ],
    setup: {
      learner: "perceptron", options: {passes: "until-converged"}, tab: "steps", view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.6,-0.6,A\n0.7,-0.1,B\n0,0.4,B\n-0.4,0.2,B\n-0.7,0.8,B\n0.1,0.7,B\n0.2,-0.4,A\n0.5,-0.6,A\n0.8,0.3,B\n-0.6,-0.2,A\n",
    },
    look: ["Press Next mistake in Steps: the dashed line is the old one, the arrow is the new w.", "The score of the row before and after the update."],
    question: {
      kind: "number", text: "How many mistakes does the perceptron make in all on these points?",
      check: (f, given) => f.run ? near(f.run.trace.length, given) : "Open Steps first, and step to the end.",
    },
    after: "Right. Each of these mistakes moved the line, and after the last one a whole pass was clean.",
  });

  P.lesson({
    id: "bound",
    title: "Why it must end",
    text: [
      "Suppose some line w* separates the points with a margin γ, and no point is farther than R from the origin. Each mistake moves w towards w*: their product grows by at least γ. But w itself cannot grow fast, because the row that was added was on the wrong side: |w|² grows by at most R².",
      "Both together cannot go on: after k mistakes kγ ≤ ⟨w, w*⟩ ≤ |w| ≤ R√k, so k is at most R²/γ². The number of rows does not matter, only the margin does.",
    ],
    setup: {
      learner: "perceptron", options: {passes: "until-converged"}, tab: "steps", make: ["separable", 40, 5],
    },
    look: ["The two pairs of bars in Steps: the solid one must stay above, or below, the hatched one.", "The number of mistakes is often far below its bound."],
    question: {
      kind: "do", text: "Drag the classes closer together, still separable, until the bound is above 1000. (Open Steps to see it.)",
      check: f => Boolean(f.run && f.run.bound && f.run.bound.bound > 1000),
    },
    after: "A narrow margin gives a large bound: half the margin, four times the bound.",
  });

  P.lesson({
    id: "offset",
    title: "A line away from the origin",
    text: [
      "Without an offset, the line must pass through the origin, the point (0, 0). These classes lie one behind the other as seen from there, so no such line separates them.",
      "An offset b frees the line. It is the same as one more coordinate that is 1 for every row, with b as its weight.",
    ],
    setup: {
      learner: "perceptron", options: {passes: "until-converged", offset: "none"}, view: {x0: -0.5, x1: 2.5, y0: -0.5, y1: 2.5},
      csv: "x,y,class\n0.3,0.5,A\n0.6,0.2,A\n0.5,0.6,A\n0.8,0.4,A\n0.2,0.2,A\n1.3,1.5,B\n1.6,1.1,B\n1.8,1.9,B\n1.1,1.8,B\n2.0,1.4,B\n",
    },
    look: ["Every line that the run tries goes through the origin.", "The warning below the result: the run does not converge."],
    question: {
      kind: "do", text: "In Learn, choose an offset with which the perceptron separates the points.",
      check: f => f.learner === "perceptron" && (f.options.offset || "unit") !== "none" && Boolean(f.report) && f.report.training_error === 0,
    },
    after: "With an offset, the line can lie where the gap is.",
  });

  P.lesson({
    id: "not-separable",
    title: "When no line will do",
    text: [
      "Sometimes no straight line separates the classes. How can one be sure? Draw a rubber band around each class: its convex hull. A line separates the classes exactly when the two bands have no point in common.",
      "So a single point inside both bands proves that there is no line. A certificate names the few rows that make this point.",
    ],
    setup: {
      learner: "svm", options: {C: "1", "keep-dual": true}, tab: "certificate", view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.6,0.6,A\n-0.8,0.2,A\n-0.4,0.8,A\n-0.9,0.7,A\n0.6,-0.6,B\n0.8,-0.2,B\n0.3,-0.8,B\n0.9,-0.7,B\n",
    },
    look: ["Certify the points as they are: the hulls, their two nearest points, and the widest margin.", "Then change the points and certify again."],
    question: {
      kind: "do", text: "Move or add one point so that no line separates the classes, and certify it.",
      check: f => Boolean(f.certificate && f.certificate.content && f.certificate.content.claims.some(claim => claim.claim === "not separable") && f.certificate.checked.good),
    },
    after: "The checker confirmed it in exact arithmetic: the marked rows have a common point, so there is no line.",
  });

  P.lesson({
    id: "programs",
    title: "All rows at once",
    text: [
      "The perceptron tries line after line. Linear programming asks about all rows at once: each row is one inequality for w and b, that its score has the right sign, and the program looks for a solution of all of them.",
      "If there is none, it does not try for ever: it names a few rows whose inequalities contradict each other.",
    ],
    setup: {
      learner: "lp", view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.7,0.6,A\n-0.5,0.9,A\n-0.3,0.4,A\n-0.8,0.1,A\n0.1,0.8,A\n-0.6,-0.2,A\n0.6,-0.5,B\n0.3,-0.8,B\n0.8,0.2,B\n0.2,-0.3,B\n0.9,-0.7,B\n-0.2,-0.7,B\n",
    },
    look: ["The line that the program finds: some separator, in one go.", "Drag a circle in among the squares: the rows with a red ring contradict each other."],
    question: {
      kind: "number", text: "Drag a point so that no line separates the classes. How many rows prove it?",
      check: (f, given) => f.report && f.report.evidence ? near(f.report.evidence.rows.length, given) : "A line still separates the classes, or the learner is another one.",
    },
    after: "Right. In the plane four rows are always enough, however many points there are: a point in a triangle, or two line segments that cross.",
  });
})(Playground);
