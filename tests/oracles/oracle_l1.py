"""Penalty l1: our objective is no worse than that of LIBLINEAR, for both of its losses (-s 5 and -s 6).

Objectives are computed here, in numpy, from the weights that either side hands over; without an offset, and with the
penalised one that LIBLINEAR has (-B 1). Ours is within its gap of the best: theirs is not below by more than that.
"""
# needs: numpy sklearn
import json
import os
import shutil
import subprocess
import sys

import numpy
from sklearn import datasets

from oracle import container, halfspace, run

FILES = iter(range(10**9))
GAP = 1e-5


def write(folder, matrix, labels):
    """libsvm text of which every number reads back to the same bits; LIBLINEAR's +1 is the first label."""
    path = os.path.join(folder, f"{next(FILES)}.svm")
    order = numpy.argsort(-labels, kind="stable")
    with open(path, "w") as file:
        for row, label in zip(matrix[order], labels[order]):
            entries = " ".join(f"{j + 1}:{float(row[j])!r}" for j in numpy.flatnonzero(row))
            file.write(f"{label} {entries}\n")
    return path


def objective(weights, offset, matrix, labels, C, logistic):
    margins = labels * (matrix @ weights + offset)
    losses = numpy.logaddexp(0, -margins) if logistic else numpy.maximum(0, 1 - margins) ** 2
    return numpy.abs(weights).sum() + abs(offset) + C * losses.sum()


def liblinear(path, C, logistic, offset):
    model = path + ".liblinear"
    subprocess.run(["liblinear-train", "-q", "-s", "6" if logistic else "5", "-c", repr(C), "-e", "1e-5", "-B",
                    "1" if offset else "-1", path, model], check=True)
    with open(model) as file:
        lines = file.read().split("\nw\n")
    weights = numpy.array([float(number) for number in lines[1].split()])
    return (weights[:-1], weights[-1]) if offset else (weights, 0.0)


def compare(folder, matrix, labels, C, logistic, offset):
    path = write(folder, matrix, labels)
    model = path[:-4] + ".model"
    learner = ["logistic"] if logistic else ["svm", "--loss", "squared"]
    told = json.loads(halfspace("train", *learner, "--json", "--quiet", "--penalty", "l1", "--precision", "double",
                                "--positive", "1", "--C", repr(C), "--offset", "regularized" if offset else "none",
                                "--gap", repr(GAP), path, "-o", model))
    assert told["converged"] and told["gap"] <= GAP, f"gap {told['gap']}"
    _, arrays = container(model)
    ours = objective(arrays["weights"][0], arrays["offsets"][0], matrix, labels, C, logistic)
    weights, b = liblinear(path, C, logistic, offset)
    theirs = objective(numpy.pad(weights, (0, matrix.shape[1] - len(weights))), b, matrix, labels, C, logistic)
    assert ours <= theirs * (1 + GAP), f"ours {ours}, theirs {theirs}"
    assert theirs >= ours * (1 - 1.1 * GAP), f"theirs {theirs} is below ours {ours} by more than the gap"
    # its -s 5 ends at a cap of 1000 iterations, here up to 4.4% above the best; -s 6 comes near
    assert theirs <= ours * (1 + (1e-4 if logistic else 0.06)), f"theirs {theirs} is far above ours {ours}: the comparison says nothing"


def every(folder, matrix, labels):
    for C in 0.05, 1.0, 10.0:
        for logistic in False, True:
            for offset in False, True:
                compare(folder, matrix, labels, C, logistic, offset)


def breast_cancer(folder):
    matrix, labels = datasets.load_breast_cancer(return_X_y=True)
    every(folder, (matrix - matrix.mean(axis=0)) / matrix.std(axis=0), 2 * labels - 1)


def digits(folder):
    matrix, labels = datasets.load_digits(return_X_y=True)
    every(folder, matrix / 16, numpy.where(labels == 3, 1, -1))


def sparse_rows(folder):
    random = numpy.random.default_rng(5)
    matrix = random.normal(size=(200, 400)) * (random.random((200, 400)) < 0.1)
    every(folder, matrix, numpy.where(matrix[:, :5].sum(axis=1) + random.normal(size=200) > 0, 1, -1))


if __name__ == "__main__":
    if not shutil.which("liblinear-train"):
        print("skipped oracle_l1: liblinear-train is not installed")
        sys.exit(0)
    sys.exit(run([breast_cancer, digits, sparse_rows]))
