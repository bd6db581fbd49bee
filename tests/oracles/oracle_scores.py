"""The scores of eval are scikit-learn's: two classes and three, with and without weights of the rows.

Models are trained by the command; its predictions, scores and probabilities are read from its own `predict`, so
that only the measuring is compared.
"""
# needs: numpy scipy sklearn
import json
import os
import sys
import warnings

import numpy
from sklearn import metrics

from oracle import halfspace, run

warnings.simplefilter("ignore")


def table(random, rows, classes):
    matrix = numpy.round(random.normal(size=(rows, 3)), 1)
    matrix = numpy.hstack([matrix, random.integers(0, 5, size=(rows, 1)) + 0.25 + 0.5 * (matrix[:, :1] > 0)])
    labels = (matrix[:, 0] + 0.5 * matrix[:, 1] + random.normal(size=rows) > 0.8).astype(int)
    if classes == 3:
        labels[matrix[:, 2] + 0.7 * random.normal(size=rows) > 0.9] = 2
    return matrix, labels


def write(path, matrix, labels):
    with open(path, "w") as file:
        file.write("a,b,c,w,y\n")
        for row, label in zip(matrix, labels):
            file.write(",".join(repr(float(value)) for value in row) + f",k{label}\n")


def predicted(model, path, *options):
    lines = halfspace("predict", "-q", model, path, *options).decode().split("\n")[:-1]
    words = [line.split("\t") for line in lines]
    return numpy.array([int(row[0][1:]) for row in words]), numpy.array([[float(x) for x in row[1:]] for row in words])


def one_vs_rest(score, truth, ranking, weight):
    return numpy.mean([score(truth == c, ranking[:, c], sample_weight=weight) for c in range(ranking.shape[1])])


def calibration_error(truth, chances, weight, bins=10):
    top = numpy.ones(len(truth), int) if chances.shape[1] == 2 else chances.argmax(axis=1)
    p, hit = chances[numpy.arange(len(truth)), top], truth == top
    place = numpy.minimum((p * bins).astype(int), bins - 1)
    total = 0
    for b in range(bins):
        of = place == b
        if weight[of].sum() > 0:
            total += weight[of].sum() * abs(numpy.average(p[of], weights=weight[of])
                                            - numpy.average(hit[of], weights=weight[of]))
    return total / weight.sum()


def expected(truth, guess, ranking, chances, weight):
    classes = chances.shape[1]
    average = "binary" if classes == 2 else "macro"
    hot = numpy.eye(classes)[truth]
    squares = (chances[:, 1] - truth) ** 2 if classes == 2 else ((chances - hot) ** 2).sum(axis=1)
    best = numpy.bincount(truth, weights=weight).argmax()
    rank = ranking[:, 0] if classes == 2 else chances
    given = {"sample_weight": weight}
    return {
        "error": 1 - metrics.accuracy_score(truth, guess, **given),
        "accuracy": metrics.accuracy_score(truth, guess, **given),
        "majority_error": 1 - metrics.accuracy_score(truth, numpy.full(len(truth), best), **given),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, guess, **given),
        "precision": metrics.precision_score(truth, guess, average=average, **given),
        "recall": metrics.recall_score(truth, guess, average=average, **given),
        "f1": metrics.f1_score(truth, guess, average=average, **given),
        "mcc": metrics.matthews_corrcoef(truth, guess, **given),
        "log_loss": metrics.log_loss(truth, chances, **given),
        "brier": numpy.average(squares, weights=weight),
        "auc": (metrics.roc_auc_score(truth, rank, **given) if classes == 2
                else one_vs_rest(metrics.roc_auc_score, truth, rank, weight)),
        "average_precision": (metrics.average_precision_score(truth, rank, **given) if classes == 2
                              else one_vs_rest(metrics.average_precision_score, truth, rank, weight)),
        "calibration_error": calibration_error(truth, chances, weight),
    }


def compare(folder, classes, seed):
    random = numpy.random.default_rng(seed)
    matrix, labels = table(random, 700, classes)
    path, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "m.hsp")
    write(path, matrix, labels)
    for learner in ("logistic", "--row-weight", "w"), ("svm", "--calibrate", "isotonic"):
        halfspace("train", learner[0], "-q", *learner[1:], path, "-o", model)
        guess, ranking = predicted(model, path, "--scores")
        chances = predicted(model, path, "--probability")[1]
        for weighted in (), ("--row-weight", "w"):
            weight = matrix[:, 3] if weighted else numpy.ones(len(labels))
            told = json.loads(halfspace("eval", "-q", "--json", model, path, *weighted))
            for name, value in expected(labels, guess, ranking, chances, weight).items():
                assert abs(told[name] - value) <= 1e-12, (learner, weighted, name, told[name], value)
            cells = metrics.confusion_matrix(labels, guess, sample_weight=weight)
            assert numpy.allclose(told["confusion_weights"], cells, rtol=1e-13, atol=0), (cells, told["confusion_weights"])


def curve(model, path, kind, *options):
    lines = halfspace("eval", "-q", model, path, "--curve", kind, *options).decode().split("\n")[1:-1]
    return numpy.array([[float(cell or "nan") for cell in line.split(",")] for line in lines]).T


def curves(folder):
    """The points of the curves, and thresholds between those of scikit-learn, which calls rows at a threshold positive."""
    random = numpy.random.default_rng(3)
    matrix, labels = table(random, 500, 2)
    path, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "m.hsp")
    write(path, matrix, labels)
    halfspace("train", "logistic", "-q", path, "-o", model)
    chances = predicted(model, path, "--probability")[1][:, 1]
    for weighted in (), ("--row-weight", "w"):
        weight = matrix[:, 3] if weighted else None
        at, fpr, tpr = curve(model, path, "roc", *weighted)
        theirs = metrics.roc_curve(labels, chances, sample_weight=weight, drop_intermediate=False)
        assert numpy.allclose(fpr, theirs[0], rtol=0, atol=1e-12) and numpy.allclose(tpr, theirs[1], rtol=0, atol=1e-12)
        assert (at[1:] < theirs[2][1:]).all() and (at[:-1] > theirs[2][1:]).all()
        at, precision, recall = curve(model, path, "pr", *weighted)
        theirs = metrics.precision_recall_curve(labels, chances, sample_weight=weight)
        assert numpy.allclose(precision, theirs[0][::-1], rtol=0, atol=1e-12), (precision, theirs[0][::-1])
        assert numpy.allclose(recall, theirs[1][::-1], rtol=0, atol=1e-12)
    at, share, gain, lift = curve(model, path, "lift")
    top = numpy.argsort(-chances, kind="stable")[:100]
    place = numpy.searchsorted(-at, -chances[top[-1]])
    assert share[place] >= 0.2 and abs(gain[place] - labels[chances > at[place]].sum() / labels.sum()) < 1e-12
    assert abs(lift[place] - gain[place] / share[place]) < 1e-12


def figures(folder):
    """The areas of plot roc and plot pr, one per class against the rest."""
    random = numpy.random.default_rng(5)
    matrix, labels = table(random, 200, 3)
    path, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "m.hsp")
    write(path, matrix, labels)
    halfspace("train", "logistic", "-q", path, "-o", model)
    chances = predicted(model, path, "--probability")[1]
    for kind, name, score in ("roc", "AUC", metrics.roc_auc_score), ("pr", "AP", metrics.average_precision_score):
        panel = json.loads(halfspace("plot", kind, "-q", "--json", model, path))["panels"][0]
        names = [mark["name"] for mark in panel["marks"] if (mark["name"] or "").startswith(name)]
        wanted = [f"{name} {round(score(labels == c, chances[:, c]), 4):g}, class k{c}" for c in range(3)]
        assert names == wanted, (names, wanted)


def best_thresholds(folder):
    """No other threshold has a better F1 or MCC, or costs less."""
    random = numpy.random.default_rng(4)
    matrix, labels = table(random, 300, 2)
    path, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "m.hsp")
    write(path, matrix, labels)
    halfspace("train", "logistic", "-q", path, "-o", model)
    chances = predicted(model, path, "--probability")[1][:, 1]

    def cost(truth, guess):
        return -((guess & (truth == 0)).sum() + 4 * (~guess & (truth == 1)).sum())

    for aim, score in ("best-f1", metrics.f1_score), ("best-mcc", metrics.matthews_corrcoef), ("cost=1:4", cost):
        told = json.loads(halfspace("eval", "-q", "--json", model, path, "--threshold", aim))
        best = max(score(labels, chances > t) for t in numpy.append(chances, 0))
        assert abs(score(labels, chances > told["threshold"]) - best) < 1e-12, (aim, told["threshold"])
        assert told["mistakes"] == ((chances > told["threshold"]) != labels).sum()


def two_classes(folder):
    compare(folder, 2, 1)


def three_classes(folder):
    compare(folder, 3, 2)


if __name__ == "__main__":
    sys.exit(run([two_classes, three_classes, curves, figures, best_thresholds]))
