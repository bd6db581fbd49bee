"""k nearest neighbours: scikit-learn's neighbours, distances, classes and shares are ours."""
# needs: numpy sklearn
import json
import os
import sys

import numpy
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from oracle import halfspace, run

METRICS = {"l2": "euclidean", "l1": "manhattan", "linf": "chebyshev", "cosine": "cosine", "hamming": "hamming"}


def write(path, x, labels):
    """Rows as CSV, every number as it is."""
    with open(path, "w") as file:
        file.write(",".join(f"c{j}" for j in range(x.shape[1])) + ",class\n")
        for row, label in zip(x, labels):
            file.write(",".join(repr(float(value)) for value in row) + f",{label}\n")


def sample(seed, rows, columns, classes, whole):
    """Random rows around a centre a class; whole numbers make ties."""
    random = numpy.random.default_rng(seed)
    labels = numpy.arange(rows) % classes
    x = random.normal(size=(rows, columns)) * 1.5 + labels[:, None] * 0.8
    if whole:
        x = numpy.round(x)
        x[numpy.abs(x).sum(axis=1) == 0] = 1  # a row of zeros has no angle there
    return x, labels


def listed(model, data, k, *options):
    """Rows and distances as neighbors prints them."""
    found = json.loads(halfspace("neighbors", "-q", "--json", model, data, "--k", str(k), *options))
    rows = numpy.array([[one["row"] - 1 for one in row["neighbors"]] for row in found])
    return rows, numpy.array([[one["distance"] for one in row["neighbors"]] for row in found])


def neighbours_and_distances(folder):
    """Every metric, with and without ties: the same distances, and the same rows where they differ."""
    train, test, model = (os.path.join(folder, name) for name in ("train.csv", "test.csv", "m.hsp"))
    for whole in (False, True):
        x, labels = sample(1, 300, 5, 3, whole)
        queries, truth = sample(2, 80, 5, 3, whole)
        write(train, x, labels)
        write(test, queries, truth)
        for ours, theirs in METRICS.items():
            halfspace("train", "knn", "-q", "--precision", "double", "--metric", ours, train, "-o", model)
            rows, distances = listed(model, test, 7)
            index = NearestNeighbors(n_neighbors=7, metric=theirs, algorithm="brute").fit(x)
            expected, want = index.kneighbors(queries)
            if ours == "hamming":
                expected = expected * x.shape[1]
            assert numpy.abs(distances - expected).max() <= 1e-7, (ours, whole)
            if not whole and ours != "hamming":
                assert (rows == want).all(), ours


def classes_and_shares(folder):
    """What the neighbours vote for, by majority and by distance."""
    train, test, model = (os.path.join(folder, name) for name in ("train.csv", "test.csv", "m.hsp"))
    x, labels = sample(3, 400, 4, 4, False)
    queries, truth = sample(4, 150, 4, 4, False)
    write(train, x, labels)
    write(test, queries, truth)
    for k in (1, 3, 5, 16):
        for ours, theirs in (("majority", "uniform"), ("distance", "distance")):
            halfspace("train", "knn", "-q", "--precision", "double", "--k", str(k), "--vote", ours, train, "-o", model)
            lines = halfspace("predict", "-q", "--probability", model, test).decode().split("\n")[:-1]
            shares = numpy.array([[float(word) for word in line.split("\t")[1:]] for line in lines])
            other = KNeighborsClassifier(k, weights=theirs, algorithm="brute").fit(x, labels)
            expected = other.predict_proba(queries)
            assert numpy.abs(shares - expected).max() <= 1e-9, (k, ours)
            top = numpy.sort(expected, axis=1)
            clear = top[:, -1] - top[:, -2] > 1e-9  # their ties go to the first class, ours to the nearer
            said = numpy.array([int(line.split("\t")[0]) for line in lines])
            assert (said[clear] == other.predict(queries)[clear]).all(), (k, ours)


def leave_one_out(folder):
    """k auto counts the mistakes that leaving rows out one by one makes."""
    train = os.path.join(folder, "train.csv")
    x, labels = sample(5, 120, 3, 2, False)
    write(train, x, labels)
    told = json.loads(halfspace("train", "knn", "-q", "--precision", "double", "--k", "auto", "--max-k", "15", "--json", train))
    mistakes = []
    for k in range(1, 16, 2):  # odd: two classes cannot tie
        wrong = 0
        for i in range(len(x)):
            others = numpy.arange(len(x)) != i
            wrong += KNeighborsClassifier(k).fit(x[others], labels[others]).predict(x[i : i + 1])[0] != labels[i]
        mistakes.append(wrong)
    assert told["neighbors"]["leave_one_out"][::2] == mistakes
    assert told["neighbors"]["k"] == 1 + numpy.argmin(told["neighbors"]["leave_one_out"])


sys.exit(run([neighbours_and_distances, classes_and_shares, leave_one_out]))
