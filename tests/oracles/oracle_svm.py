"""Widest margins: our objectives are those of LIBLINEAR, of scikit-learn and of a general minimiser.

Every model is judged by the same few lines here, from its weights and the rows: nobody's word is taken for how
good it is. All are asked for more precision than the comparison needs. LIBLINEAR's own program is asked too
where it is installed; LinearSVC is the same solvers inside scikit-learn.
"""
# needs: numpy scipy sklearn
import json
import os
import shutil
import subprocess
import sys
import warnings

import numpy
from scipy.optimize import minimize
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from oracle import container, halfspace, run

warnings.simplefilter("ignore")
FILES = iter(range(10**9))
LIBLINEAR = shutil.which("liblinear-train")


# ---- One judge for all ----


def losses(kind, margins):
    if kind == "hinge":
        return numpy.maximum(0, 1 - margins)
    if kind == "squared":
        return numpy.maximum(0, 1 - margins) ** 2
    return numpy.logaddexp(0, -margins)


def judge(matrix, signs, w, b, kind, C, offset, penalty="l2"):
    """P of one separator; C may have one number a row."""
    squares = w @ w / 2 if penalty == "l2" else numpy.abs(w).sum()
    if offset == "regularized":
        squares += b * b / 2 if penalty == "l2" else abs(b)
    return squares + (C * losses(kind, signs * (matrix @ w + b))).sum()


def crammer_singer(matrix, labels, weights, offsets, C):
    """P of all separators at once, the offsets regularised."""
    scores = matrix @ weights.T + offsets
    rows = numpy.arange(len(labels))
    others = scores + 1
    others[rows, labels] -= 1
    slack = others.max(axis=1) - scores[rows, labels]
    return (weights**2).sum() / 2 + (offsets**2).sum() / 2 + C * slack.sum()


def same(ours, theirs, room=1e-6):
    """No worse than theirs to `room`. If it is better they stopped early, which they may by a little."""
    assert ours <= theirs * (1 + room) and ours >= theirs * (1 - 1e-3), f"{ours!r} and {theirs!r}"


# ---- Ours and LIBLINEAR's program ----


def write(folder, matrix, labels):
    """libsvm text of which every number reads back to the same bits."""
    path = os.path.join(folder, f"{next(FILES)}.svm")
    with open(path, "w") as file:
        for row, label in zip(matrix, labels):
            entries = " ".join(f"{j + 1}:{float(row[j])!r}" for j in numpy.flatnonzero(row))
            file.write(f"{label} {entries}\n")
    return path


class Model:
    """What the command learns from a file, opened by nothing of ours."""

    def __init__(self, path, learner, *options, gap="1e-8"):
        self.path = path[:-4] + f"-{next(FILES)}.model"
        told = halfspace(
            "train", learner, "--json", "--quiet", "--precision", "double", "--gap", gap, *options, path, "-o", self.path
        )
        self.told = json.loads(told)
        assert self.told["converged"] is True, self.told
        _, arrays = container(self.path)
        self.weights, self.offsets = arrays["weights"], arrays["offsets"]

    def predict(self, path):
        return [int(line) for line in halfspace("predict", "--quiet", self.path, path).split()]


def ours(path, kind, C, offset, *options):
    if kind == "logistic":
        return Model(path, "logistic", "--C", repr(C), "--offset", offset, *options)
    return Model(path, "svm", "--loss", kind, "--C", repr(C), "--offset", offset, *options)


def liblinear(path, solver, C, offset, accuracy="1e-6"):
    """Weights and offset of the class +1 against -1."""
    model = path + ".liblinear"
    bias = ["-B", "1"] if offset == "regularized" else []
    command = [LIBLINEAR, "-q", "-s", str(solver), "-e", accuracy, "-c", repr(C), *bias, path, model]
    subprocess.run(command, check=True, capture_output=True)
    with open(model) as file:
        head, numbers = file.read().split("\nw\n")
    sign = 1 if "label 1 " in head else -1
    w = sign * numpy.array([float(line) for line in numbers.split()])
    return (w[:-1], w[-1]) if bias else (w, 0.0)


# ---- Sets ----


def clouds(source, rows, features, apart=1.0):
    """Two overlapping clouds; the last column of the first row is not zero."""
    signs = numpy.where(source.random(rows) < 0.4, 1, -1)
    signs[:2] = 1, -1
    matrix = source.standard_normal((rows, features)) * source.uniform(0.3, 2, features)
    matrix += apart * signs[:, None] * source.standard_normal(features) / numpy.sqrt(features)
    return matrix, signs


def sparse_clouds(source, rows, features):
    matrix, signs = clouds(source, rows, features)
    matrix[source.random(matrix.shape) < 0.8] = 0
    matrix[0, -1] = 1
    return matrix, signs


def many(seed):
    source = numpy.random.default_rng(seed)
    for rows, features in ((40, 3), (300, 10), (60, 100), (500, 40)):
        yield clouds(source, rows, features)
        yield sparse_clouds(source, rows, features)


# ---- Two classes ----


def objectives_of_liblinear(folder):
    assert LIBLINEAR, "liblinear-train is not installed"
    for matrix, signs in many(1):
        path = write(folder, matrix, signs)
        for kind, solver, C in (("hinge", 3, 0.05), ("squared", 1, 0.1), ("squared", 2, 1.0), ("logistic", 0, 1.0)):
            for offset in ("none", "regularized"):
                w, b = liblinear(path, solver, C, offset)
                mine = ours(path, kind, C, offset)
                theirs = judge(matrix, signs, w, b, kind, C, offset)
                same(judge(matrix, signs, mine.weights[0], mine.offsets[0], kind, C, offset), theirs)


def objectives_of_LinearSVC(folder):
    for matrix, signs in many(2):
        path = write(folder, matrix, signs)
        for kind, loss, C in (("hinge", "hinge", 0.05), ("squared", "squared_hinge", 0.2)):
            for offset in ("none", "regularized"):
                them = LinearSVC(loss=loss, C=C, tol=1e-7, max_iter=100000, fit_intercept=offset != "none")
                them.fit(matrix, signs)
                b = numpy.atleast_1d(them.intercept_)[0]
                mine = ours(path, kind, C, offset)
                theirs = judge(matrix, signs, them.coef_[0], b, kind, C, offset)
                same(judge(matrix, signs, mine.weights[0], mine.offsets[0], kind, C, offset), theirs)


def free_offset_of_SVC(folder):
    for matrix, signs in many(3):
        path = write(folder, matrix, signs)
        for C in (0.01, 1.0):
            them = SVC(kernel="linear", C=C, tol=1e-5).fit(matrix, signs)
            mine = ours(path, "hinge", C, "free")
            theirs = judge(matrix, signs, them.coef_[0], them.intercept_[0], "hinge", C, "free")
            same(judge(matrix, signs, mine.weights[0], mine.offsets[0], "hinge", C, "free"), theirs)


def class_weights_of_SVC(folder):
    for matrix, signs in many(4):
        path = write(folder, matrix, signs)
        for weights, options in (({1: 3, -1: 1}, ("--weight", "1=3")), ("balanced", ("--weight", "balanced"))):
            them = SVC(kernel="linear", C=0.1, tol=1e-5, class_weight=weights).fit(matrix, signs)
            if weights == "balanced":
                weights = {k: len(signs) / (2 * (signs == k).sum()) for k in (1, -1)}
            costs = 0.1 * numpy.array([weights[sign] for sign in signs])
            mine = ours(path, "hinge", 0.1, "free", *options)
            theirs = judge(matrix, signs, them.coef_[0], them.intercept_[0], "hinge", costs, "free")
            same(judge(matrix, signs, mine.weights[0], mine.offsets[0], "hinge", costs, "free"), theirs)


def free_offset_of_LogisticRegression(folder):
    for matrix, signs in many(5):
        path = write(folder, matrix, signs)
        for C in (0.01, 1.0, 30.0):
            them = LogisticRegression(C=C, tol=1e-8, max_iter=1000, solver="lbfgs").fit(matrix, signs)
            mine = ours(path, "logistic", C, "free")
            theirs = judge(matrix, signs, them.coef_[0], them.intercept_[0], "logistic", C, "free")
            same(judge(matrix, signs, mine.weights[0], mine.offsets[0], "logistic", C, "free"), theirs)


def free_offset_squared_of_a_minimiser(folder):
    """Nobody has this one: scipy's L-BFGS on P itself."""
    for matrix, signs in many(6):
        path = write(folder, matrix, signs)
        for C in (0.01, 1.0):

            def value(v):
                slack = numpy.maximum(0, 1 - signs * (matrix @ v[:-1] + v[-1]))
                pull = -2 * C * slack * signs
                slope = numpy.append(v[:-1] + pull @ matrix, pull.sum())
                return v[:-1] @ v[:-1] / 2 + C * (slack**2).sum(), slope

            start = numpy.zeros(matrix.shape[1] + 1)
            limits = {"maxiter": 100000, "maxfun": 1000000, "ftol": 1e-16, "gtol": 1e-10}
            them = minimize(value, start, jac=True, method="L-BFGS-B", options=limits)
            mine = ours(path, "squared", C, "free")
            same(judge(matrix, signs, mine.weights[0], mine.offsets[0], "squared", C, "free"), them.fun)


def lambda_and_C(folder):
    """C = 1/(lambda n), and what is reported is J = P lambda."""
    matrix, signs = clouds(numpy.random.default_rng(7), 200, 5)
    path = write(folder, matrix, signs)
    for kind in ("hinge", "squared"):
        by_C = Model(path, "svm", "--loss", kind, "--C", "0.25")
        by_lambda = Model(path, "svm", "--loss", kind, "--lambda", repr(1 / (0.25 * 200)))
        same(by_lambda.told["objective"], by_C.told["objective"])
        P = judge(matrix, signs, by_C.weights[0], by_C.offsets[0], kind, 0.25, "free")
        same(by_C.told["objective"], P / (0.25 * 200), 1e-9)


# ---- Sparse weights ----


def l1_of_LinearSVC_and_LogisticRegression(folder):
    for matrix, signs in many(8):
        path = write(folder, matrix, signs)
        for C in (0.05, 0.5):
            for offset in ("none", "regularized"):
                fit = offset != "none"
                svc = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-7, max_iter=5000, fit_intercept=fit)
                logistic = LogisticRegression(
                    penalty="l1", solver="liblinear", C=C, tol=1e-7, max_iter=5000, fit_intercept=fit
                )
                for them, kind in ((svc, "squared"), (logistic, "logistic")):
                    them.fit(matrix, signs)
                    b = numpy.atleast_1d(them.intercept_)[0]
                    mine = ours(path, kind, C, offset, "--penalty", "l1")
                    w = mine.weights[0]
                    theirs = judge(matrix, signs, them.coef_[0], b, kind, C, offset, "l1")
                    same(judge(matrix, signs, w, mine.offsets[0], kind, C, offset, "l1"), theirs)
                    idle = numpy.abs(them.coef_[0]) == 0
                    assert numpy.abs(w[idle]).max(initial=0) <= 1e-3, "a weight that should be zero"


# ---- More classes ----


def more_classes():
    for load in (datasets.load_iris, datasets.load_wine, datasets.load_digits):
        matrix, labels = load(return_X_y=True)
        yield matrix / numpy.abs(matrix).max(axis=0).clip(min=1e-9), labels


def one_against_the_rest(folder):
    for matrix, labels in more_classes():
        path = write(folder, matrix, labels)
        them = LinearSVC(C=0.3, tol=1e-6, max_iter=100000).fit(matrix, labels)
        mine = ours(path, "squared", 0.3, "regularized", "--multiclass", "ovr")
        for k in range(len(them.classes_)):
            signs = numpy.where(labels == k, 1, -1)
            theirs = judge(matrix, signs, them.coef_[k], them.intercept_[k], "squared", 0.3, "regularized")
            same(judge(matrix, signs, mine.weights[k], mine.offsets[k], "squared", 0.3, "regularized"), theirs)
        different = (numpy.array(mine.predict(path)) != them.predict(matrix)).mean()
        assert different <= 0.002, f"{different:.1%} of the predictions differ"


def default_factor_of_SVC(folder):
    """--kernel rbf is gamma="scale": the number and the scores; --gamma gives the same."""
    source = numpy.random.default_rng(8)
    for matrix, labels in (clouds(source, 150, 6, 0.5), sparse_clouds(source, 120, 30)):
        path = write(folder, matrix, labels)
        common = ["--kernel", "rbf", "--C", "2", "--gap", "1e-9", "--precision", "double", path, "-o", path + ".hsp"]
        theirs = SVC(C=2, gamma="scale", tol=1e-9).fit(matrix, labels)
        kernel = json.loads(halfspace("train", "svm", "-q", "--json", *common))["kernel"]
        factor = float(kernel[len("rbf(c=") : -1])
        assert abs(factor / theirs._gamma - 1) <= 1e-13, (factor, theirs._gamma)
        lines = halfspace("predict", "-q", "--scores", path + ".hsp", path).decode().splitlines()
        scores = numpy.array([float(line.split()[-1]) for line in lines])
        assert numpy.abs(scores - theirs.decision_function(matrix)).max() <= 1e-5
        assert json.loads(halfspace("train", "svm", "-q", "--json", "--gamma", repr(factor), *common))["kernel"] == kernel


def one_against_one(folder):
    for matrix, labels in more_classes():
        path = write(folder, matrix, labels)
        them = SVC(kernel="linear", C=0.3, tol=1e-5).fit(matrix, labels)
        mine = ours(path, "hinge", 0.3, "free", "--multiclass", "ovo")
        different = (numpy.array(mine.predict(path)) != them.predict(matrix)).mean()
        assert different <= 0.01, f"{different:.1%} of the predictions differ"  # ties of votes are ruled differently


def crammer_and_singer(folder):
    for matrix, labels in more_classes():
        path = write(folder, matrix, labels)
        for C in (0.02, 0.3):
            them = LinearSVC(multi_class="crammer_singer", C=C, tol=1e-6, max_iter=100000).fit(matrix, labels)
            mine = ours(path, "hinge", C, "regularized", "--multiclass", "crammer-singer")
            theirs = crammer_singer(matrix, labels, them.coef_, them.intercept_, C)
            same(crammer_singer(matrix, labels, mine.weights, mine.offsets, C), theirs, 1e-5)


if __name__ == "__main__":
    numpy.random.seed(0)  # what LIBLINEAR's solvers inside scikit-learn draw their order from
    tests = [
        objectives_of_LinearSVC,
        free_offset_of_SVC,
        class_weights_of_SVC,
        free_offset_of_LogisticRegression,
        free_offset_squared_of_a_minimiser,
        lambda_and_C,
        l1_of_LinearSVC_and_LogisticRegression,
        one_against_the_rest,
        one_against_one,
        default_factor_of_SVC,
        crammer_and_singer,
    ]
    if LIBLINEAR:
        tests.append(objectives_of_liblinear)
    else:
        print("skipped objectives_of_liblinear: liblinear-train is not installed")
    sys.exit(run(tests))
