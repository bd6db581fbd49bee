/* Lessons about the other learners: Winnow, experts, nearest neighbours, logistic regression, several classes. */
"use strict";

(function (P) {
  P.lesson({
    id: "winnow",
    title: "Multiply instead of add",
    text: [
      "Winnow keeps positive weights, all 1 at the start. After a mistake it multiplies the weights of the columns that are present in the row, or divides them. A column that matters gains weight quickly, and one that does not is soon forgotten.",
      "So the number of mistakes grows with the logarithm of the number of columns. With two columns that is no advantage; with a thousand columns, of which five matter, it is.",
    ],
    setup: {
      learner: "winnow", options: {passes: "until-converged", delta: "0.2"}, tab: "steps", view: {x0: -0.15, x1: 1.15, y0: -0.15, y1: 1.15},
      csv: "x,y,class\n0.9,0.3,B\n0.1,0.6,A\n0.8,0.9,B\n0.2,0.2,A\n1,0.5,B\n0.3,0.7,A\n0.9,0.1,B\n0.1,0.9,A\n0.8,0.6,B\n0.2,0.4,A\n",
    },
    look: ["w before and after each update in Steps: the weight of x grows faster than that of y.", "Each promotion may add only so much to the sum of the weights: the hatched bar."],
    question: {
      kind: "number", text: "How many updates does Winnow need until it makes no more mistakes?",
      check: (f, given) => f.run ? f.run.trace.length === given : "Open Steps first, and step to the end.",
    },
    after: "Right. The certificate of such a run shows that its mistakes are within the bound.",
  });

  P.lesson({
    id: "experts",
    title: "Whom to trust",
    text: [
      "Imagine that each column is an expert who votes for a class, and that you cannot know beforehand who is good. The weighted majority decides; every expert who was wrong loses half of its weight.",
      "After many rows the weight has moved to the best expert. The majority never makes many more mistakes than that expert did.",
    ],
    setup: {learner: "experts", options: {negated: true, scale: "standard"}, tab: "steps", make: ["separable", 40, 11]},
    look: ["Each column votes by whether it is above its mean; “not x” votes the opposite.", "The shares after each row, and the mistakes beside their bound."],
    question: {
      kind: "choice", text: "Which expert has the most weight at the end?", choices: ["x1", "not x1", "x2", "not x2"],
      check: (f, given) => f.run ? f.run.trace[f.run.trace.length - 1].best === given : "Open Steps first, and step to the end.",
    },
    after: "Right. Nobody had to say in advance which column is useful.",
  });

  const island = {x: 0.05, y: 0.62};
  P.lesson({
    id: "neighbours",
    title: "Ask the neighbours",
    text: [
      "The nearest-neighbour learner draws no line at all. It keeps every row, and predicts the class that most of the k nearest rows have.",
      "With k = 1 each row rules the area around it, even a row with a wrong label. A larger k makes the answer smoother.",
    ],
    setup: {
      learner: "knn", options: {k: "1"}, view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.8,0.6,A\n-0.5,0.9,A\n-0.3,0.5,A\n0.1,0.9,A\n0.3,0.6,A\n-0.1,0.4,A\n0.6,0.8,A\n-0.6,0.3,A\n0.25,0.35,A\n-0.8,-0.4,B\n-0.5,-0.7,B\n-0.2,-0.3,B\n0.2,-0.6,B\n0.5,-0.3,B\n0.8,-0.7,B\n0,-0.8,B\n0.7,-0.1,B\n0.05,0.62,B\n",
    },
    look: ["The island around the lone square among the circles.", "The boundary gets smoother as k grows."],
    question: {
      kind: "do", text: "Raise k until the island is gone.",
      check: f => f.learner === "knn" && f.wrong.some(i => f.points[i].x === island.x && f.points[i].y === island.y),
    },
    after: "Now the lone point is outvoted by its neighbours: it counts as one mistake, and the region around it is calm.",
  });

  P.lesson({
    id: "logistic",
    title: "How sure?",
    text: [
      "Logistic regression turns the score into a probability: p = 1 / (1 + exp(−score)). On the line it is one half; far away it is almost 0 or 1.",
      "The length of w says how quickly it becomes sure. C limits this length: with a small C the probabilities stay modest, with a large C they are extreme.",
    ],
    setup: {learner: "logistic", options: {C: "1"}, make: ["noise", 80, 9]},
    look: ["How deep the colours are at some distance from the line: deeper means surer.", "The formula of the score in Learn."],
    question: {
      kind: "do", text: "Choose C so that both weights are between −0.1 and 0.1.",
      check: f => f.learner === "logistic" && Boolean(f.model && f.model.details) && f.model.details.scorers[0].weights.length > 0 &&
        f.model.details.scorers.every(s => s.weights.every(w => Math.abs(w.weight) < 0.1)),
    },
    after: "A small C keeps w short: the model says “perhaps” almost everywhere.",
  });

  P.lesson({
    id: "classes",
    title: "More than two classes",
    text: [
      "One line has two sides. For three classes, train one scorer for each class against the rest; the highest score wins. The regions meet where two scores are equal.",
      "Another way is one scorer for each pair of classes, and a vote (multiclass: ovo).",
    ],
    setup: {
      learner: "svm", options: {C: "10", "keep-dual": true}, view: {x0: -1.25, x1: 1.25, y0: -1.25, y1: 1.25},
      csv: "x,y,class\n-0.7,0.5,A\n-0.5,0.8,A\n-0.9,0.7,A\n-0.6,0.3,A\n0.6,0.6,B\n0.8,0.4,B\n0.5,0.8,B\n0.9,0.8,B\n-0.1,-0.6,C\n0.2,-0.8,C\n-0.3,-0.8,C\n0.1,-0.5,C\n",
    },
    look: ["Three boundaries that meet near the middle.", "What a point of another class in the middle of a region does."],
    question: {
      kind: "do", text: "Add a fourth class with at least three points, so that all points are on their side.",
      check: f => f.classes.length === 4 && f.classes.every(c => f.points.filter(p => p.c === c).length >= 3) && Boolean(f.report) && f.report.classes === 4 && f.report.training_error === 0,
    },
    after: "Four scorers, one for each class, and no point on the wrong side.",
  });
})(Playground);
