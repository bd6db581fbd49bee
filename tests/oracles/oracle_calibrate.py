"""Calibrated probabilities are as good as those of scikit-learn's CalibratedClassifierCV.

The tables are imbalanced and the machine is trained with balanced class weights, so that its scores are far from
the log-odds of the classes. Log loss and Brier score are computed here, from the probabilities that each program
prints for rows held out. Ours may be at most 2% above the better of scikit-learn's two modes (`ensemble=True`
averages five calibrated machines; `ensemble=False` fits one map to the scores of all folds, as we do), over SVC
and over LinearSVC.
"""
# needs: numpy scipy sklearn
import os
import sys
import warnings

import numpy
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC, LinearSVC

from oracle import container, halfspace, run

warnings.simplefilter("ignore")


def table(random, rows):
    """About 8% of the rows are of the class; no separator is right about all of them."""
    matrix = random.normal(size=(rows, 6))
    matrix[:, 1] = numpy.exp(matrix[:, 1] / 2)
    matrix[:, 2] = matrix[:, 2] > 0.3
    odds = 1.3 * matrix[:, 0] + 0.7 * matrix[:, 1] - 1.1 * matrix[:, 2] + 0.5 * matrix[:, 3] * matrix[:, 0] - 3.7
    return matrix, (random.random(rows) < 1 / (1 + numpy.exp(-odds))).astype(int)


def write(folder, name, matrix, labels):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(matrix.shape[1])) + ",y\n")
        for row, label in zip(matrix, labels):
            file.write(",".join(repr(float(value)) for value in row) + f",{label}\n")
    return path


def predicted(model, path, *options):
    """Names of classes and numbers behind them, a row each."""
    lines = halfspace("predict", "-q", model, path, *options).decode().split("\n")[:-1]
    words = [line.split("\t") for line in lines]
    return [row[0] for row in words], numpy.array([[float(x) for x in row[1:]] for row in words])


def log_loss(labels, chances):
    return -numpy.log(numpy.maximum(chances[numpy.arange(len(labels)), labels], 1e-15)).mean()


def brier(labels, chances):
    return ((chances - numpy.eye(chances.shape[1])[labels]) ** 2).sum(axis=1).mean()


def theirs(machine, method, train, test):
    """Log loss and Brier score, the better of both modes."""
    scores = []
    for ensemble in True, False:
        fitted = CalibratedClassifierCV(machine, method=method, cv=5, ensemble=ensemble).fit(*train)
        chances = fitted.predict_proba(test[0])
        scores.append((log_loss(test[1], chances), brier(test[1], chances)))
    return min(scores)[0], min(score[1] for score in scores)


def compare(folder, seed, machines, room, draw):
    random = numpy.random.default_rng(seed)
    train, test = draw(random, 1500), draw(random, 10000)
    paths = write(folder, "train.csv", *train), write(folder, "test.csv", *test)
    model = os.path.join(folder, "model.hsp")
    for ours, method in ("platt", "sigmoid"), ("isotonic", "isotonic"):
        halfspace("train", "svm", "-q", "--C", "1", "--weight", "balanced", "--calibrate", ours, paths[0], "-o", model)
        names, chances = predicted(model, paths[1], "--probability")
        likely = chances.argmax(axis=1)
        assert all(chances[i].max() == chances[i, int(name)] for i, name in enumerate(names)), "label and probability"
        losses = log_loss(test[1], chances), brier(test[1], chances)
        error = (likely != test[1]).mean()
        for machine in machines:
            best = theirs(machine, method, train, test)
            said = f"{ours}: {losses} beside {best} of {type(machine).__name__}, error {error}"
            assert losses[0] <= room * best[0] and losses[1] <= room * best[1], said


def two_classes(folder):
    machines = (
        SVC(kernel="linear", C=1, class_weight="balanced"),
        LinearSVC(loss="hinge", C=1, class_weight="balanced", max_iter=200000),
    )
    for seed in range(2):
        compare(folder, seed, machines, 1.02, table)


def three_classes(folder):
    def draw(random, rows):
        matrix, labels = table(random, rows)
        rare = (labels == 0) & (matrix[:, 4] + random.normal(size=rows) > 1.8)
        return matrix, labels + 2 * rare

    compare(folder, 5, [LinearSVC(loss="hinge", C=1, class_weight="balanced", max_iter=200000)], 1.02, draw)


def platt_for_libsvm(folder):
    """probA and probB of an exported model are the parameters of the model file."""
    random = numpy.random.default_rng(1)
    path, model = write(folder, "t.csv", *table(random, 800)), os.path.join(folder, "m.hsp")
    halfspace("train", "svm", "-q", "--calibrate", "platt", path, "-o", model)
    halfspace("model", "export", "-q", model, "--format", "libsvm", "-o", model + ".libsvm")
    with open(model + ".libsvm") as file:
        header = dict(line.split(" ", 1) for line in file.read().split("\nSV\n")[0].split("\n"))
    a, b = container(model)[1]["calibration.platt"]
    assert header["label"].split() == ["1", "0"]
    assert float(header["probA"]) == -a and float(header["probB"]) == -b, (header, a, b)


if __name__ == "__main__":
    sys.exit(run([two_classes, three_classes, platt_for_libsvm]))
