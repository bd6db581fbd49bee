"""The perceptron: our weights are scikit-learn's, our averages and votes those of plain Python.

scikit-learn's Perceptron updates where y (<w, x> + b) <= 0, as ours does with the tie at "neg". On rows of
small whole numbers every sum is exact, and the weights must be equal; elsewhere the two add up in
another order, and the weights agree to 1e-9.
"""
# needs: numpy sklearn
import json
import os
import sys

import numpy
from scipy import sparse
from sklearn import datasets
from sklearn.linear_model import Perceptron, SGDClassifier

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


class Model:
    """What the command learns from a file, opened by nothing of ours."""

    def __init__(self, path, *options):
        self.path = path[:-4] + f"-{next(FILES)}.model"
        told = halfspace("train", "perceptron", "--json", "--quiet", *options, path, "-o", self.path)
        self.told = json.loads(told)
        _, arrays = container(self.path)
        self.weights, self.offsets = arrays["weights"], arrays["offsets"]

    def predict(self, path):
        return [int(line) for line in halfspace("predict", "--quiet", self.path, path).split()]

    def scores(self, path):
        lines = halfspace("predict", "--quiet", "--scores", self.path, path).decode().splitlines()
        return numpy.array([[float(word) for word in line.split()[1:]] for line in lines])


def near(ours, theirs, exact):
    assert ours.shape == theirs.shape, f"{ours.shape} and {theirs.shape}"
    room = 0 if exact else 1e-9 * max(1, numpy.abs(theirs).max())
    worst = numpy.abs(ours - theirs).max()
    assert worst <= room, f"off by {worst}"


def compare(folder, matrix, labels, passes, exact=False, rate=1.0, offset="unit", precision="double", seen=None):
    """Weights, offsets, predictions of rows learned from and of rows not seen."""
    path = write(folder, matrix, labels)
    options = ["--multiclass", "ovr", "--passes", str(passes), "--rate", repr(rate), "--precision", precision]
    theirs = Perceptron(
        max_iter=passes, tol=None, shuffle=False, eta0=rate, penalty=None, fit_intercept=offset == "unit"
    ).fit(matrix, labels)
    for storage in ("dense", "sparse"):
        ours = Model(path, "--offset", offset, "--storage", storage, *options)
        near(ours.weights, theirs.coef_, exact)
        near(ours.offsets, theirs.intercept_, exact)
        if not exact and len(theirs.classes_) == 2:
            assert numpy.abs(theirs.decision_function(matrix)).min() > 1e-6, "too near to the boundary to compare"
        assert ours.predict(path) == [int(label) for label in theirs.predict(matrix)], "predictions"
        if seen is not None:
            fresh = write(folder, seen, numpy.full(len(seen), labels[0]))
            assert ours.predict(fresh) == [int(label) for label in theirs.predict(seen)], "new rows"


def whole_numbers(source, rows, features, classes):
    """Rows and labels of a noisy linear truth; the last column is never zero in the first row."""
    matrix = source.integers(-3, 4, (rows, features)).astype(float)
    matrix[0, -1] = 1
    truth = source.integers(-2, 3, (features, classes))
    labels = (matrix @ truth + source.integers(-2, 3, (rows, classes))).argmax(axis=1)
    labels[:classes] = numpy.arange(classes)
    return matrix, labels


def two_classes_exactly(folder):
    source = numpy.random.default_rng(1)
    for _ in range(25):
        rows, features = source.integers(5, 200), source.integers(1, 40)
        matrix, labels = whole_numbers(source, rows, features, 2)
        compare(
            folder,
            matrix,
            labels * 2 - 1,
            int(source.integers(1, 12)),
            exact=True,
            offset=str(source.choice(["unit", "none"])),
            precision=str(source.choice(["single", "double"])),
            rate=float(source.choice([1, 0.25, 4])),
            seen=whole_numbers(source, 50, features, 2)[0],
        )


def more_classes_exactly(folder):
    source = numpy.random.default_rng(2)
    for _ in range(15):
        classes, features = int(source.integers(3, 8)), source.integers(2, 30)
        matrix, labels = whole_numbers(source, source.integers(20, 200), features, classes)
        seen = whole_numbers(source, 50, features, classes)[0]
        compare(folder, matrix, labels, int(source.integers(1, 8)), exact=True, seen=seen)


def real_numbers(folder):
    source = numpy.random.default_rng(3)
    for classes in (2, 2, 2, 4):
        matrix = source.standard_normal((300, 25))
        labels = (matrix @ source.standard_normal((25, classes)) + source.standard_normal((300, classes))).argmax(1)
        compare(folder, matrix, labels, 7, rate=0.3)
        compare(folder, matrix, labels, 7, offset="none")


def real_data(folder):
    """The small sets that come with scikit-learn: flowers, wines, tumours, digits."""
    for load, exact in (
        (datasets.load_iris, False),
        (datasets.load_wine, False),
        (datasets.load_breast_cancer, False),
        (datasets.load_digits, True),
    ):
        matrix, labels = load(return_X_y=True)
        compare(folder, matrix, labels, 10, exact=exact)
        compare(folder, matrix, labels, 3, exact=exact, offset="none")


def sparse_rows(folder):
    """On sparse rows scikit-learn moves the offset by a hundredth of y: as appending 0.1 does."""
    source = numpy.random.default_rng(4)
    for _ in range(5):
        matrix = source.standard_normal((200, 50)) * (source.random((200, 50)) < 0.2)
        matrix[0] = 1
        labels = (matrix @ source.standard_normal(50) + 0.1 > 0).astype(int)
        theirs = Perceptron(max_iter=6, tol=None, shuffle=False).fit(sparse.csr_matrix(matrix), labels)
        path = write(folder, matrix, labels)
        options = ("--offset", "append", "--constant", "0.1", "--passes", "6", "--precision", "double")
        ours = Model(path, *options, "--storage", "sparse")
        near(ours.weights, theirs.coef_, False)
        near(ours.offsets, theirs.intercept_, False)


def averaged_by_scikit_learn(folder):
    source = numpy.random.default_rng(5)
    for classes in (2, 2, 3):
        matrix = source.standard_normal((150, 10))
        labels = (matrix @ source.standard_normal((10, classes)) + source.standard_normal((150, classes))).argmax(1)
        theirs = SGDClassifier(
            loss="perceptron",
            penalty=None,
            learning_rate="constant",
            eta0=1,
            max_iter=5,
            tol=None,
            shuffle=False,
            average=True,
        ).fit(matrix, labels)
        options = ("--average", "average", "--multiclass", "ovr", "--passes", "5", "--precision", "double")
        ours = Model(write(folder, matrix, labels), *options)
        assert ours.told["passes"] == 5, "the mean would be over fewer examples"
        near(ours.weights, theirs.coef_, False)
        near(ours.offsets, theirs.intercept_, False)


# ---- Plain Python ----


def sign(score, tie="neg"):
    if score == 0:
        return {"neg": -1, "pos": 1, "zero": 0}[tie]
    return 1 if score > 0 else -1


def separators(matrix, labels, passes, tie):
    """The separator after each example, of the textbook's perceptron, and the passes it took."""
    w, b = numpy.zeros(matrix.shape[1]), 0.0
    every = []
    for done in range(1, passes + 1):
        mistakes = 0
        for x, y in zip(matrix, labels):
            score = float(w @ x) + b
            if y * score < 0 or (score == 0 and (tie != "pos" or y < 0)):
                w, b, mistakes = w + y * x, b + y, mistakes + 1
            every.append((w, b))
        if mistakes == 0:
            return every, done
    return every, passes


def small_sets(seed, count):
    source = numpy.random.default_rng(seed)
    for _ in range(count):
        matrix, labels = whole_numbers(source, source.integers(4, 40), source.integers(1, 6), 2)
        yield matrix, labels * 2 - 1, str(source.choice(["neg", "pos", "zero"])), source


def averaged_naively(folder):
    for matrix, labels, tie, _ in small_sets(6, 30):
        every, passes = separators(matrix, labels, 6, tie)
        options = ("--average", "average", "--passes", "6", "--tie", tie, "--storage", "dense")
        ours = Model(write(folder, matrix, labels), *options)
        assert ours.told["passes"] == passes, f"{ours.told['passes']} passes, not {passes}"
        near(ours.weights[0], sum(w for w, _ in every) / len(every), False)
        near(ours.offsets[0], numpy.array(sum(b for _, b in every) / len(every)), False)


def voted_naively(folder):
    for matrix, labels, tie, source in small_sets(7, 30):
        every, _ = separators(matrix, labels, 4, tie)
        path = write(folder, matrix, labels)
        ours = Model(path, "--average", "vote", "--passes", "4", "--tie", tie, "--storage", "dense")
        seen = numpy.vstack([matrix, source.integers(-5, 6, (20, matrix.shape[1]))])
        votes = [sum(sign(float(w @ x) + b, tie) for w, b in every) / len(every) for x in seen]
        fresh = write(folder, seen, numpy.ones(len(seen), dtype=int))
        near(ours.scores(fresh)[:, 0], numpy.array(votes), False)
        assert ours.predict(fresh) == [sign(vote, tie) for vote in votes], "classes"


if __name__ == "__main__":
    sys.exit(
        run(
            [
                two_classes_exactly,
                more_classes_exactly,
                real_numbers,
                real_data,
                sparse_rows,
                averaged_by_scikit_learn,
                averaged_naively,
                voted_naively,
            ]
        )
    )
