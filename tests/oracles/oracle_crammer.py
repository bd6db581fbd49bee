"""The machine of all classes at once: our objective is no worse than that of LIBLINEAR's Crammer-Singer solver.

Objectives are computed here, in numpy, from the weights that either side hands over. Ours is within its gap of the
best, so theirs can be smaller by that much and no more; and where theirs is good, ours is as good.
"""
# needs: numpy sklearn
import json
import os
import sys
import warnings

import numpy
from sklearn import datasets
from sklearn.svm import LinearSVC

from oracle import container, halfspace, run

FILES = iter(range(10**9))


def write(folder, matrix, labels):
    """libsvm text of which every number reads back to the same bits."""
    path = os.path.join(folder, f"{next(FILES)}.svm")
    with open(path, "w") as file:
        for row, label in zip(matrix, labels):
            entries = " ".join(f"{j + 1}:{float(row[j])!r}" for j in numpy.flatnonzero(row))
            file.write(f"{label} {entries}\n")
    return path


def objective(weights, offsets, matrix, labels, C, penalised):
    scores = matrix @ weights.T + offsets
    rows = numpy.arange(len(labels))
    own = scores[rows, labels].copy()
    scores[rows, labels] = -numpy.inf
    size = (weights**2).sum() + (offsets**2).sum() * penalised
    return size / 2 + C * numpy.maximum(0, 1 + scores.max(axis=1) - own).sum()


def compare(folder, matrix, labels, C, offset):
    path = write(folder, matrix, labels)
    model = path[:-4] + ".model"
    told = json.loads(halfspace("train", "svm", "--json", "--quiet", "--multiclass", "crammer-singer", "--precision",
                                "double", "--C", repr(C), "--offset", offset, "--gap", "1e-4", path, "-o", model))
    _, arrays = container(model)
    penalised = offset == "regularized"
    ours = objective(arrays["weights"], arrays["offsets"], matrix, labels, C, penalised)
    assert told["converged"] and told["gap"] <= 1e-4, f"gap {told['gap']}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LinearSVC(multi_class="crammer_singer", C=C, fit_intercept=penalised, intercept_scaling=1, tol=1e-5,
                          max_iter=20000).fit(matrix, labels)
    theirs = objective(other.coef_, numpy.broadcast_to(other.intercept_, len(other.classes_)), matrix, labels, C,
                       penalised)
    assert ours <= theirs * (1 + 1.1e-4), f"ours {ours}, theirs {theirs}"
    assert theirs >= ours * (1 - 1.1e-4), f"theirs {theirs} is below ours {ours} by more than the gap"


def iris(folder):
    matrix, labels = datasets.load_iris(return_X_y=True)
    for C in 0.01, 1.0:
        for offset in "none", "regularized":
            compare(folder, matrix, labels, C, offset)


def wine(folder):
    matrix, labels = datasets.load_wine(return_X_y=True)
    compare(folder, (matrix - matrix.mean(axis=0)) / matrix.std(axis=0), labels, 1.0, "regularized")


def digits(folder):
    matrix, labels = datasets.load_digits(return_X_y=True)
    compare(folder, matrix / 16, labels, 0.1, "none")


def sparse_rows(folder):
    random = numpy.random.default_rng(5)
    for classes in 3, 7, 9:
        matrix = random.normal(size=(300, 40)) * (random.random((300, 40)) < 0.15)
        labels = numpy.concatenate([numpy.arange(classes), random.integers(classes, size=300 - classes)])
        compare(folder, matrix, labels, 0.5, "none")


if __name__ == "__main__":
    numpy.random.seed(0)  # what LIBLINEAR's solver inside scikit-learn draws its order from
    sys.exit(run([iris, wine, digits, sparse_rows]))
