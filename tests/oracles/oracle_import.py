"""Models of LIBSVM and LIBLINEAR: our predictions from their files are theirs, theirs from our files are ours.

Decision values are compared with a reading of the file that is nothing of ours, in double.
"""
# needs: numpy sklearn
import json
import os
import shutil
import subprocess
import sys

import numpy
from sklearn import datasets

from oracle import halfspace, run

SVM = shutil.which("svm-train") and shutil.which("svm-predict")
LINEAR = shutil.which("liblinear-train") and shutil.which("liblinear-predict")
KERNELS = [
    ("-t", "0"),
    ("-t", "1", "-d", "3", "-g", "0.05", "-r", "1"),
    ("-t", "1", "-d", "2", "-g", "0.3"),
    ("-t", "2", "-g", "0.05", "-c", "10"),
    ("-t", "3", "-g", "0.01", "-r", "-0.5"),
    ("-s", "1", "-n", "0.1", "-t", "2", "-g", "0.1"),
]


def problems(folder):
    """Files to learn from and files to predict, the latter with a column that the former do not have."""
    for name, load in (("digits", datasets.load_digits), ("wine", datasets.load_wine), ("cancer", datasets.load_breast_cancer)):
        matrix, labels = load(return_X_y=True)
        matrix = matrix / numpy.abs(matrix).max(axis=0).clip(min=1e-9)
        random = numpy.random.default_rng(1)
        order = random.permutation(len(labels))[:500]
        half = len(order) // 2
        paths = []
        for part, rows in (("train", order[:half]), ("test", order[half:])):
            path = os.path.join(folder, f"{name}.{part}")
            with open(path, "w") as file:
                for i in rows:
                    entries = [f"{j + 1}:{matrix[i, j]:.6g}" for j in numpy.flatnonzero(matrix[i])]
                    if part == "test" and i % 3 == 0:
                        entries.append(f"{matrix.shape[1] + 2}:0.25")
                    file.write(f"{labels[i] * 2 - 1} {' '.join(entries)}\n")
            paths.append(path)
        yield name, *paths


def call(*command):
    subprocess.run(command, check=True, capture_output=True)


def lines(path):
    with open(path) as file:
        return file.read().split()


def predicted(model, data):
    return halfspace("predict", "--quiet", model, data).decode().split()


def there_and_back(folder, format, predict, theirs, test):
    """Their model, ours of it, theirs of ours: all say the same."""
    mine, back, out = (os.path.join(folder, name) for name in ("mine.hsp", "back", "out"))
    halfspace("model", "import", "--quiet", theirs, "-o", mine)
    ours = predicted(mine, test)
    call(predict, test, theirs, out)
    assert ours == lines(out), f"{theirs}: import"
    halfspace("model", "export", "--quiet", mine, "--format", format, "-o", back)
    call(predict, test, back, out)
    assert ours == lines(out), f"{theirs}: export"


def libsvm_models(folder):
    for name, train, test in problems(folder):
        for options in KERNELS:
            model = os.path.join(folder, f"{name}{''.join(options)}.svm")
            call("svm-train", "-q", *options, train, model)
            there_and_back(folder, "libsvm", "svm-predict", model, test)


def liblinear_models(folder):
    for name, train, test in problems(folder):
        for solver in "01234567":
            model = os.path.join(folder, f"{name}{solver}.ll")
            call("liblinear-train", "-q", "-s", solver, "-B", "1" if int(solver) % 2 else "-1", train, model)
            there_and_back(folder, "liblinear", "liblinear-predict", model, test)


def our_models(folder):
    """What we learn, in both formats."""
    for name, train, test in problems(folder):
        for learner in (("svm",), ("svm", "--scale", "max-abs"), ("logistic",), ("perceptron", "--passes", "20")):
            mine, back, out = (os.path.join(folder, part) for part in ("mine.hsp", "back", "out"))
            halfspace("train", learner[0], "--quiet", "--precision", "double", *learner[1:], train, "-o", mine)
            ours = predicted(mine, test)
            for format, predict in (("libsvm", "svm-predict"), ("liblinear", "liblinear-predict")):
                if not shutil.which(predict):
                    continue
                halfspace("model", "export", "--quiet", mine, "--format", format, "-o", back)
                call(predict, test, back, out)
                assert ours == lines(out), f"{name} {learner}: {format}"


def rows_of(path, cols):
    matrix = []
    with open(path) as file:
        for line in file:
            row = numpy.zeros(cols)
            for entry in line.split()[1:]:
                index, value = entry.split(":")
                row[int(index) - 1] = float(value)
            matrix.append(row)
    return numpy.array(matrix)


def decision_values(folder):
    for name, train, test in problems(folder):
        if name != "cancer":
            continue
        for options in KERNELS:
            model, mine = os.path.join(folder, "two.svm"), os.path.join(folder, "two.hsp")
            call("svm-train", "-q", *options, train, model)
            halfspace("model", "import", "--quiet", model, "-o", mine)
            told = halfspace("predict", "--quiet", "--scores", mine, test).decode().splitlines()
            with open(model) as file:
                header, support = file.read().split("SV\n")
            keys = dict(line.split(None, 1) for line in header.splitlines() if " " in line)
            vectors = os.path.join(folder, "vectors")
            with open(vectors, "w") as file:
                file.write(support)
            x, v = rows_of(test, 40), rows_of(vectors, 40)
            coefficients = numpy.array([float(line.split()[0]) for line in support.splitlines()])
            dots, g, r = x @ v.T, float(keys.get("gamma", 0)), float(keys.get("coef0", 0))
            kind = keys["kernel_type"]
            values = {
                "linear": lambda: dots,
                "polynomial": lambda: (g * dots + r) ** int(keys["degree"]),
                "rbf": lambda: numpy.exp(-g * ((x[:, None] - v[None]) ** 2).sum(axis=2)),
                "sigmoid": lambda: numpy.tanh(g * dots + r),
            }[kind]()
            want = values @ coefficients - float(keys["rho"])
            size = numpy.abs(values) @ numpy.abs(coefficients) + abs(float(keys["rho"]))
            got = numpy.array([float(line.split("\t")[1]) for line in told])
            worst = (numpy.abs(got - want) / size).max()
            assert worst <= 1e-12, f"{kind}: {worst}"


def their_probabilities(path):
    """The classes, and a probability of each label, of svm-predict -b 1 and predict -b 1."""
    with open(path) as file:
        head, *rest = file.read().splitlines()
    labels = head.split()[1:]
    rows = [line.split() for line in rest]
    return [row[0] for row in rows], [dict(zip(labels, map(float, row[1:]))) for row in rows]


def same_probabilities(predict, model, test, out):
    call(predict, "-b", "1", test, model, out)
    classes, theirs = their_probabilities(out)
    names = json.loads(halfspace("model", "show", "-q", "--json", model))["classes"]
    told = [line.split("\t") for line in halfspace("predict", "-q", "--probability", model, test).decode().splitlines()]
    assert [words[0] for words in told] == classes, model
    for words, want in zip(told, theirs):
        for name, p in zip(names, words[-len(names):]):
            assert abs(float(p) - want[name]) <= 1e-6, (model, words, want)


def libsvm_probabilities(folder):
    """Read without import; Platt's of two classes, coupled pairs of more; kept by export."""
    out, back = os.path.join(folder, "out"), os.path.join(folder, "back")
    for name, train, test in problems(folder):
        for options in KERNELS[:1] + KERNELS[3:4] + KERNELS[5:]:
            model = os.path.join(folder, f"{name}{''.join(options)}.svm")
            call("svm-train", "-q", "-b", "1", *options, train, model)
            same_probabilities("svm-predict", model, test, out)
            halfspace("model", "export", "-q", model, "--format", "libsvm", "-o", back)
            same_probabilities("svm-predict", back, test, out)


def liblinear_probabilities(folder):
    for name, train, test in problems(folder):
        for solver in "067":
            model = os.path.join(folder, f"{name}{solver}.ll")
            call("liblinear-train", "-q", "-s", solver, "-B", "1", train, model)
            same_probabilities("liblinear-predict", model, test, os.path.join(folder, "out"))


def svm_scale_ranges(folder):
    """scale --apply on svm-scale's range file gives svm-scale -r's numbers, to the six digits that it prints."""
    saved, out = os.path.join(folder, "range"), os.path.join(folder, "out.svm")
    for name, train, test in problems(folder):
        for bounds in (("-l", "-1"), ("-l", "0"), ("-l", "0.5", "-u", "3")):
            call("svm-scale", *bounds, "-s", saved, train)
            theirs = subprocess.run(["svm-scale", "-r", saved, test], check=True, capture_output=True).stdout.decode()
            halfspace("scale", "-q", test, out, "--apply", saved)
            with open(out) as file:
                ours = file.read()
            assert len(ours.splitlines()) == len(theirs.splitlines())
            for a, b in zip(ours.splitlines(), theirs.splitlines()):
                a, b = a.split(), b.split()
                assert a[0] == b[0]
                a, b = ({word.split(":")[0]: float(word.split(":")[1]) for word in row[1:]} for row in (a, b))
                for j in a.keys() | b.keys():
                    assert abs(a.get(j, 0) - b.get(j, 0)) <= 6e-6 * max(abs(b.get(j, 0)), 1e-6), (name, j)


if __name__ == "__main__":
    tests = []
    if SVM:
        tests += [libsvm_models, decision_values, libsvm_probabilities]
    else:
        print("skipped libsvm_models: svm-train is not installed")
    if shutil.which("svm-scale"):
        tests.append(svm_scale_ranges)
    if LINEAR:
        tests += [liblinear_models, liblinear_probabilities]
    else:
        print("skipped liblinear_models: liblinear-train is not installed")
    if SVM or LINEAR:
        tests.append(our_models)
    sys.exit(run(tests))
