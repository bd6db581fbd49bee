"""Scores of cross-validation are scikit-learn's, to 1e-12, with weights of rows and without.

The command writes the fold, the truth and what was predicted for every row (`--held-out`). scikit-learn computes
each score of each fold from that file; the mean and its standard error are computed here.
"""
# needs: numpy scipy sklearn
import csv
import json
import os
import sys
import warnings

import numpy
from sklearn import metrics

from oracle import halfspace, run

warnings.simplefilter("ignore")


def write(path, random, rows, classes):
    """Classes of different sizes that overlap, and a column of weights, some of them 0."""
    labels = numpy.minimum(random.geometric(0.6, size=rows) - 1, classes - 1)
    matrix = random.normal(size=(rows, 3)) + 0.8 * labels[:, None] * [1, -0.5, 0]
    matrix[:, 2] = numpy.round(matrix[:, 2])
    weights = numpy.where(random.random(rows) < 0.1, 0, numpy.round(random.exponential(size=rows), 3))
    with open(path, "w") as file:
        file.write("x,y,z,w,label\n")
        for row, weight, label in zip(matrix, weights, labels):
            file.write(",".join(repr(float(value)) for value in (*row, weight)) + f",c{label}\n")
    return weights


def theirs(name, truth, predicted, chances, ranking, weights):
    classes = chances.shape[1] if chances is not None else ranking.shape[1]
    two, given = classes == 2, {"sample_weight": weights}
    if name == "error":
        return 1 - metrics.accuracy_score(truth, predicted, **given)
    if name == "balanced-accuracy":
        return metrics.balanced_accuracy_score(truth, predicted, **given)
    if name == "f1":
        return metrics.f1_score(truth, predicted, average="binary" if two else "macro", zero_division=0, **given)
    if name == "mcc":
        return metrics.matthews_corrcoef(truth, predicted, **given)
    if name == "log-loss":
        return metrics.log_loss(truth, chances, labels=range(classes), **given)
    if name == "brier" and two:
        return metrics.brier_score_loss(truth, chances[:, 1], **given)
    if name == "brier":
        return numpy.average(((chances - numpy.eye(classes)[truth]) ** 2).sum(axis=1), weights=weights)
    score = metrics.roc_auc_score if name == "auc" else metrics.average_precision_score
    if two:
        return score(truth, ranking[:, 1], **given)
    return numpy.mean([score(truth == c, ranking[:, c], **given) for c in range(classes)])


NAMES = "error balanced-accuracy auc f1 mcc log-loss brier average-precision".split()


def compare(folder, learner, classes, weighted, names):
    data, held = os.path.join(folder, "data.csv"), os.path.join(folder, "held.csv")
    weights = write(data, numpy.random.default_rng(classes), 400, classes)
    options = ["--row-weight", "w"] if weighted else []
    for name in names:
        report = json.loads(
            halfspace("cv", *learner, *options, "--score", name, "--held-out", held, "--json", "-q", "--precision", "double", data)
        )
        with open(held) as file:
            rows = list(csv.DictReader(file))
        number = {f"c{c}": c for c in range(classes)}
        fold = numpy.array([int(row["fold"]) for row in rows])
        truth = numpy.array([number[row["label"]] for row in rows])
        predicted = numpy.array([number[row["predicted"]] for row in rows])
        read = lambda kind: numpy.array([[float(row[f"{kind} c{c}"]) for c in range(classes)] for row in rows])
        chances = read("probability") if "probability c0" in rows[0] else None
        if classes == 2:
            score = numpy.array([float(row["score"]) for row in rows])
            ranking = numpy.stack([-score, score], axis=1)
        else:
            ranking = chances if chances is not None else read("score")
        of = weights if weighted else numpy.ones(len(rows))
        assert [int(row["row"]) for row in rows] == list(range(1, 401))
        values = []
        for f, said in enumerate(report["fold"], start=1):
            at = fold == f
            value = theirs(name, truth[at], predicted[at], chances[at] if chances is not None else None, ranking[at], of[at])
            assert abs(said["score"] - value) < 1e-12, f"{name}: {said['score']!r} and {value!r}"
            values.append(value)
        assert abs(report["score"] - numpy.mean(values)) < 1e-12
        spread = numpy.std(values, ddof=1) / numpy.sqrt(len(values))
        assert abs(report["score_standard_error"] - spread) < 1e-12


def two_classes(folder):
    for weighted in False, True:
        compare(folder, ["logistic"], 2, weighted, NAMES)
        compare(folder, ["svm", "--calibrate", "isotonic"], 2, weighted, NAMES[-3:])


def more_classes(folder):
    for weighted in False, True:
        compare(folder, ["logistic"], 3, weighted, NAMES)
    compare(folder, ["svm", "--multiclass", "ovo"], 3, True, NAMES[:5])


def neighbours_with_ties(folder):
    compare(folder, ["knn", "--k", "5"], 2, False, NAMES)


sys.exit(run([two_classes, more_classes, neighbours_with_ties]))
