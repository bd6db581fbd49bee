"""Multinomial logistic regression: objectives and probabilities are those of scikit-learn.

Objectives are computed here, in numpy, from the weights that either side hands over: ours must lie between its proven
lower bound and its report. Probabilities for an l2 penalty, whose optimum is unique, agree to 1e-6.
"""
# needs: numpy sklearn
import json
import os
import sys
import warnings

import numpy
from sklearn import datasets
from sklearn.linear_model import LogisticRegression

from oracle import container, halfspace, run

FILES = iter(range(10**9))


def write(folder, matrix, labels):
    path = os.path.join(folder, f"{next(FILES)}.svm")
    with open(path, "w") as file:
        for row, label in zip(matrix, labels):
            entries = " ".join(f"{j + 1}:{float(row[j])!r}" for j in numpy.flatnonzero(row))
            file.write(f"{label} {entries}\n")
    return path


def objective(weights, offsets, matrix, labels, C, penalty, rows):
    scores = matrix @ weights.T + offsets
    top = scores.max(axis=1)
    loss = numpy.log(numpy.exp(scores - top[:, None]).sum(axis=1)) + top - scores[numpy.arange(len(labels)), labels]
    size = numpy.abs(weights).sum() if penalty == "l1" else (weights**2).sum() / 2
    return size + C * (rows * loss).sum()


def compare(folder, matrix, labels, C, penalty, weighted):
    random = numpy.random.default_rng(len(labels))
    rows = random.integers(1, 4, len(labels)) if weighted else numpy.ones(len(labels), int)
    path = write(folder, numpy.repeat(matrix, rows, axis=0), numpy.repeat(labels, rows))
    model = path[:-4] + ".model"
    told = json.loads(halfspace("train", "logistic", "--json", "--quiet", "--precision", "double", "--C", repr(C),
                                "--penalty", penalty, "--gap", "1e-7", path, "-o", model))
    assert told["solver"] == ("lbfgs" if penalty == "l1" else "newton-cg") and told["converged"], f"{told['stop']}: gap {told['gap']}"
    _, arrays = container(model)
    ours = objective(arrays["weights"], arrays["offsets"], matrix, labels, C, penalty, rows)
    assert told["scaled_dual_objective"] <= ours * (1 + 1e-12), f"{told['scaled_dual_objective']} is above {ours}"
    assert told["scaled_objective"] >= ours * (1 - 1e-12), f"{told['scaled_objective']} is below {ours}"
    solver = "saga" if penalty == "l1" else "newton-cg"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LogisticRegression(multi_class="multinomial", C=C, penalty=penalty, solver=solver, tol=1e-10,
                                   max_iter=20000).fit(matrix, labels, sample_weight=rows)
    theirs = objective(other.coef_, other.intercept_, matrix, labels, C, penalty, rows)
    assert ours <= theirs * (1 + 1e-6), f"ours {ours}, theirs {theirs}"
    if penalty == "l1":
        return
    halfspace("train", "logistic", "--quiet", "--precision", "double", "--C", repr(C), "--gap", "1e-12", path, "-o",
              model)
    lines = halfspace("predict", "--quiet", "--precision", "double", "--probability", model,
                      write(folder, matrix, labels)).splitlines()
    mine = numpy.array([[float(word) for word in line.split()[1:]] for line in lines])
    far = numpy.abs(mine - other.predict_proba(matrix)).max()
    assert far <= 1e-6, f"probabilities differ by {far}"


def real(folder):
    for load in (datasets.load_iris, datasets.load_wine):
        matrix, labels = load(return_X_y=True)
        matrix = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
        for C in (0.01, 1.0, 100.0):
            compare(folder, matrix, labels, C, "l2", False)


def drawn(folder):
    random = numpy.random.default_rng(3)
    for k, d, n in ((3, 2, 60), (5, 8, 200), (12, 4, 300)):
        labels = numpy.concatenate([numpy.arange(k), random.integers(0, k, n - k)])
        matrix = random.normal(size=(n, d)) + 2 * random.normal(size=(k, d))[labels]
        compare(folder, matrix, labels, 1.0, "l2", True)
        compare(folder, matrix, labels, 1.0, "l1", True)


if __name__ == "__main__":
    sys.exit(run([real, drawn]))
