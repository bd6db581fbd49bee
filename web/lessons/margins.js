/* Lessons about margins: the widest one, room for errors, the points that count, kernels, new data. */
"use strict";

(function (P) {
  P.lesson({
    id: "margin",
    title: "The widest margin",
    text: [
      "If one line separates the classes, many do. The perceptron takes whichever it meets first. A more careful choice is the line in the middle of the widest empty street between the classes.",
      "The distance from this line to the nearest point is the margin. It is half the distance between the two convex hulls.",
    ],
    setup: {learner: "svm", options: {hard: true, "keep-dual": true}, make: ["separable", 30, 8]},
    look: ["The dashed lines are the edges of the street.", "The circled points are the support vectors: they touch the edges and hold the street in place."],
    question: {
      kind: "number", text: "How many support vectors hold this street?",
      check: (f, given) => Boolean(f.report) && f.report.support_vectors === given,
    },
    after: "Right. In the plane, two or three points usually decide where the widest street lies.",
  });

  P.lesson({
    id: "support",
    title: "Points that do not count",
    text: [
      "The solution of the support vector machine is a weighted sum of rows, and most of the weights are zero. Only rows on the edge of the street, inside it, or on the wrong side have a weight.",
      "All other points could be deleted, and the line would stay where it is.",
    ],
    setup: {learner: "svm", options: {hard: true, "keep-dual": true}, make: ["separable", 24, 3]},
    look: ["Delete a point without a circle: nothing moves.", "Delete one with a circle, and undo it."],
    question: {
      kind: "do", text: "Delete at least ten points without changing the margin.",
      check: f => Boolean(f.report && f.first && f.report.margin != null) && f.points.length <= f.first.points - 10 &&
        Math.abs(f.report.margin - f.first.report.margin) <= 1e-3 * f.first.report.margin,
    },
    after: "Ten points fewer, and the same street: only the support vectors count.",
  });

  P.lesson({
    id: "soft",
    title: "Room for errors",
    text: [
      "Real classes overlap. The support vector machine then allows points inside the street and on the wrong side, at a price: the hinge loss, which is 0 at the right edge of the street and grows with the distance behind it.",
      "C is the price of one unit of loss. A large C makes every error expensive, and the street narrow. A small C prefers a wide street and accepts errors.",
    ],
    setup: {learner: "svm", options: {C: "10", "keep-dual": true}, make: ["noise", 60, 4]},
    look: ["Move the slider of C slowly, and watch the street.", "The number of support vectors."],
    question: {
      kind: "do", text: "Find a C for which more than 80% of the points are support vectors.",
      check: f => f.learner === "svm" && Boolean(f.report) && f.report.support_vectors > 0.8 * f.report.rows,
    },
    after: "With a small C the street is so wide that most points lie in it.",
  });

  P.lesson({
    id: "kernel",
    title: "Curved boundaries",
    text: [
      "No straight line separates two rings. But a kernel compares points as if they had been moved to a space with more dimensions, without ever going there. A plane in that space is a curve here.",
      "poly(2,1) allows curves of the second degree. rbf lets the influence of each point fade with the distance; its parameter says how quickly.",
    ],
    setup: {learner: "svm", options: {C: "10", "keep-dual": true}, make: ["rings", 80, 2]},
    look: ["The lines of equal score around the boundary.", "The support vectors lie where the classes are close."],
    question: {
      kind: "do", text: "In Learn, choose a kernel with which all points are on their side.",
      check: f => Boolean(f.report && f.report.kernel) && f.report.training_error === 0,
    },
    after: "In the feature space of this kernel the rings can be separated. A certificate can prove that, too.",
  });

  const proposals = ["3*linear", "rbf(2)+poly(2,1)", "rbf(2)*linear", "sigmoid(2,1)"];
  P.lesson({
    id: "positive",
    title: "What is a kernel?",
    text: [
      "A function k(x, y) is a kernel if it is a scalar product in some space. Then for all rows and all numbers z, the sum of zᵢ zⱼ k(xᵢ, xⱼ) is the squared length of a vector, and never negative: the matrix of the kernel is positive semidefinite. Conversely, every such matrix comes from a scalar product.",
      "Sums and products of kernels are kernels, and so is a kernel times a positive number. Other functions may look like a kernel without being one.",
    ],
    setup: {learner: "svm", options: {C: "1", kernel: "rbf(2)", "keep-dual": true}, make: ["moons", 40, 3]},
    look: ["Type the expressions below into the field kernel in Learn.", "What the command says to one of them."],
    question: {
      kind: "choice", text: "Which of these is not a kernel?", choices: proposals,
      check: async (f, given) => {
        const answer = await P.run(["halfspace", "kernel", "check", given, "points.csv", "--allow-indefinite"], {files: {"points.csv": P.csv()}});
        return answer.status === 1 || `The playground computed the matrix of ${given} on these points: it is positive semidefinite.`;
      },
    },
    after: "The playground computed its matrix on these points: it has a negative eigenvalue, so there are numbers z for which the sum is negative.",
  });

  P.lesson({
    id: "new-points",
    title: "New points",
    text: [
      "A flexible learner can fit every training point, even those whose labels are wrong. What matters is the error on new points from the same source.",
      "Here a straight line made the labels, and then 15% of them were flipped. The rbf kernel with a large parameter draws a small island around each point.",
    ],
    setup: {learner: "svm", options: {C: "1000", kernel: "rbf(30)", "keep-dual": true}, make: ["noise", 100, 6]},
    look: ["All points are on their side: the training error is 0.", "How much of the plane each island covers."],
    question: {
      kind: "choice", text: "Which makes fewer errors on 1000 new points from the same source?", choices: ["The islands, with training error 0", "A straight line, with a larger training error"],
      check: async (f, given) => {
        const errors = await errorsOnNew();
        const line = errors[0] < errors[1];
        return (given.startsWith("A straight") === line) || `The playground tried both: ${percent(errors[0])} for the line, ${percent(errors[1])} for the islands.`;
      },
    },
    after: "The playground trained both and tried them on 1000 new points: the straight line makes fewer errors. It could not learn the flipped labels by heart.",
  });
  const percent = share => `${P.number(100 * share, 3)}%`;

  /* The error of a straight line and of the islands on rows that neither has seen. */
  async function errorsOnNew() {
    const fresh = await P.run(["halfspace", "make", ...P.generators.noise, "--rows", "1100", "--seed", "6", "-o", "new.csv"], {read: ["new.csv"]});
    const all = P.text(fresh.files["new.csv"]).trimEnd().split("\n"), errors = [];
    for (const options of [["--C", "1"], ["--C", "1000", "--kernel", "rbf(30)"]]) {
      const old = all.slice(0, 101).join("\n") + "\n", rest = [all[0]].concat(all.slice(101)).join("\n") + "\n";
      const trained = await P.run(["halfspace", "train", "svm", ...options, "old.csv", "-o", "m.hsp"], {files: {"old.csv": old}, read: ["m.hsp"]});
      const judged = await P.run(["halfspace", "eval", "m.hsp", "new.csv"], {files: {"m.hsp": trained.files["m.hsp"], "new.csv": rest}});
      errors.push(judged.report.error);
    }
    return errors;
  }

  P.lesson({
    id: "enough",
    title: "How many points are enough?",
    text: [
      "A line that fits a few points may be wrong about most others. With many points that is unlikely: each line with a true error above ε survives n points with probability at most (1 − ε)ⁿ.",
      "Lines are endless, but n points can be divided by lines in few ways only. So there is a number of points after which, with probability 95%, every line without a training error has a true error of at most ε. It does not depend on how the points are distributed.",
    ],
    setup: {learner: "perceptron", options: {passes: "until-converged"}, make: ["separable", 20, 4]},
    look: ["Generate separable points several times: with few points the line jumps, with many it hardly moves."],
    question: {
      kind: "do", text: "Generate separable points, enough for ε = 0.1 with probability 95%.",
      check: async f => {
        if (!f.report || f.report.training_error !== 0) return "The theorem is about lines without a training error.";
        const answer = await P.run(["halfspace", "bound", "sample-size", "--vc", "3", "--rows", String(f.points.length), "--delta", "0.05"]);
        const epsilon = answer.report && answer.report.epsilon;
        return epsilon <= 0.1 || `With ${P.count(f.points.length, "point")} the theorem says: ε = ${epsilon < 1 ? P.number(epsilon, 3) : "1, which is nothing"}.`;
      },
    },
    after: "With so many points, no line without a training error is wrong about more than one point in ten, except in at most one of 20 samples.",
  });
})(Playground);
