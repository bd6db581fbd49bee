"""Kernels: eigenvalues are LAPACK's, and LIBSVM learns the same from our Gram matrix as from the rows."""
# needs: numpy
import json
import os
import shutil
import subprocess
import sys

import numpy

from oracle import Cache, halfspace, run

SVM_TRAIN, SVM_PREDICT = shutil.which("svm-train"), shutil.which("svm-predict")
EXPRESSIONS = ["linear", "rbf(median)", "poly(3,1)", "laplace(0.5)", "0.5*rbf(0.1) + normalize(poly(2,1))*linear"]


def rows(folder, count, *options):
    """A file of two classes that no halfspace separates."""
    path = os.path.join(folder, f"rows-{count}.svm")
    halfspace("make", "moons", "-q", "--rows", str(count), "-o", path, *options)
    return path


def eigenvalues(folder):
    """Those of numpy on the matrix that gram writes."""
    data, out = rows(folder, 300), os.path.join(folder, "gram.hsp")
    for expression in EXPRESSIONS:
        halfspace("kernel", "gram", "-q", expression, data, "-o", out)
        gram = Cache(out).dense()[:, 1:]
        theirs = numpy.linalg.eigvalsh(gram)[::-1]
        ours = json.loads(halfspace("kernel", "check", "-q", "--json", expression, data))
        assert numpy.abs(theirs[:10] - ours["leading"]).max() <= 1e-12 * theirs[0], expression
        assert abs(theirs[-1] - ours["smallest"]) <= 1e-12 * theirs[0], expression
        assert ours["rank"] == (theirs > ours["tolerance"]).sum(), expression
        assert ours["semidefinite"], expression


def features(folder):
    """B B' is the matrix, multiplied out elsewhere."""
    data, out, made = rows(folder, 200), os.path.join(folder, "gram.hsp"), os.path.join(folder, "b.hsp")
    for expression in EXPRESSIONS:
        halfspace("kernel", "gram", "-q", expression, data, "-o", out)
        gram = Cache(out).dense()[:, 1:]
        ours = json.loads(halfspace("kernel", "check", "-q", "--json", expression, data, "--features", made))
        b = Cache(made).dense()
        assert b.shape == (200, ours["factor"]["rank"])
        assert numpy.abs(b @ b.T - gram).max() <= 1e-11 * numpy.abs(gram).max(), expression


def trained(*arguments):
    """The objectives that svm-train reports, one a pair of classes."""
    said = subprocess.run([SVM_TRAIN, *arguments], capture_output=True, check=True, text=True).stdout
    return [float(word.split("=")[1].split(",")[0]) for word in said.splitlines() if word.startswith("obj")]


def libsvm_takes_the_matrix(folder):
    """svm-train -t 4 on ours, and on the rows with its own kernel."""
    train, test = rows(folder, 250, "--seed", "4"), rows(folder, 100, "--seed", "5")
    own, other = os.path.join(folder, "own.svm"), os.path.join(folder, "other.svm")
    model, out = os.path.join(folder, "model"), os.path.join(folder, "out")
    predictions = []
    halfspace("kernel", "gram", "-q", "--precision", "double", "rbf(0.7)", train, "-o", own)
    halfspace("kernel", "gram", "-q", "--precision", "double", "rbf(0.7)", test, "--against", train, "-o", other)
    for arguments, file in ((["-t", "2", "-g", "0.7", "-e", "1e-6", train], test), (["-t", "4", "-e", "1e-6", own], other)):
        objectives = trained(*arguments, model)
        subprocess.run([SVM_PREDICT, file, model, out], capture_output=True, check=True)
        with open(out) as text:
            predictions.append((objectives, text.read()))
    assert len(predictions[0][0]) == 1 and abs(predictions[0][0][0] - predictions[1][0][0]) <= 1e-5, predictions
    assert predictions[0][1] == predictions[1][1]


TESTS = [eigenvalues, features]
if SVM_TRAIN and SVM_PREDICT:
    TESTS.append(libsvm_takes_the_matrix)
else:
    print("skipped libsvm_takes_the_matrix: svm-train is not installed")
sys.exit(run(TESTS))
