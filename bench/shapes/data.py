"""Data of the shapes: generated rows, and the libsvm text of them.

A generator takes a random number generator and its parameters and returns (rows, labels): a dense array or a CSR matrix, and
labels 0, 1, ... The parameter `digits` (6) is the number of significant digits in the file. The same parameters always give
the same file.
"""
import hashlib
import os
import sys
import zlib

import numpy as np
import scipy.sparse as sp

VERSION = 1  # of the generators: a change of what they generate changes the names of the files


# ---- Labels ----


def flip(rng, labels, classes, noise):
    """A share `noise` of the labels becomes another class."""
    wrong = rng.random(len(labels)) < noise
    return np.where(wrong, (labels + rng.integers(1, classes, len(labels))) % classes, labels)


def linear_labels(rng, X, classes, noise):
    """The class with the largest of `classes` random linear functions, all classes about as large; then noise."""
    W = rng.standard_normal((X.shape[1], classes)) / np.sqrt(X.shape[1])
    scores = np.asarray(X @ W)
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    return flip(rng, scores.argmax(axis=1), classes, noise)


# ---- Generators of linear problems ----


def dense(rng, rows, columns, classes=2, noise=0.1, spread=1, correlated=1, mean=0):
    """Gaussian columns.

    spread: ratio of the largest to the smallest column scale; correlated: condition number of the correlation between
    columns; mean: mean of each column in standard deviations.
    """
    X = rng.standard_normal((rows, columns))
    labels = linear_labels(rng, X, classes, noise)
    if correlated > 1:
        rotation = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
        X = X * np.logspace(0, -np.log10(correlated) / 2, columns) @ rotation
    X += mean
    if spread > 1:
        X *= rng.permutation(np.logspace(0, np.log10(spread), columns))
    return X, labels


def integers(rng, rows, columns, largest, classes=2, noise=0.0):
    """Dense whole numbers 0..largest without scaling."""
    X = rng.integers(0, largest + 1, (rows, columns)).astype(float)
    return X, linear_labels(rng, X - largest / 2, classes, noise)


def probes(rng, rows, columns, noise=0.4):
    """A few informative columns of whole numbers around 480, and many that say nothing, all unscaled."""
    X = rng.standard_normal((rows, columns))
    labels = flip(rng, (X[:, :20].sum(axis=1) > 0).astype(int), 2, noise)
    return np.rint(480 + 40 * X * rng.uniform(0.2, 2, columns)), labels


def sparse(rng, rows, columns, density, classes=2, noise=0.1, spread=1):
    """Gaussian values at random places."""
    X = sp.random(rows, columns, density, "csr", random_state=np.random.RandomState(rng.integers(2**31)),
                  data_rvs=lambda n: np.round(rng.standard_normal(n), 4))
    labels = linear_labels(rng, X, classes, noise)
    if spread > 1:
        X = sp.csr_matrix(X @ sp.diags(np.logspace(0, np.log10(spread), columns)))
    return X, labels


def fields(rng, rows, columns, count, classes=2, noise=0.1):
    """Categorical fields, one-hot: `count` ones per row; the sizes of the fields and their values are skewed."""
    sizes = 2 + rng.multinomial(columns - 2 * count, rng.dirichlet(np.full(count, 0.5)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    places = [start + (size * rng.random(rows) ** 3).astype(int) for start, size in zip(starts, sizes)]
    X = sp.csr_matrix((np.ones(rows * count), np.stack(places, axis=1).ravel(), np.arange(rows + 1) * count),
                      (rows, columns))
    return X, linear_labels(rng, X, classes, noise)


def text(rng, rows, columns, words, classes=2, noise=0.02):
    """Word weights: column frequencies by Zipf's law, lengths that vary, rows of norm 1, classes that prefer some words."""
    lengths = np.maximum(3, rng.lognormal(np.log(words), 0.6, rows)).astype(int)
    topic = rng.integers(0, classes, rows)
    total = lengths.sum()
    rank = np.minimum(columns ** rng.random(total), columns - 1).astype(int)
    own = np.repeat(topic, lengths)
    order = np.stack([rng.permutation(columns) for _ in range(classes)])
    column = np.where(rng.random(total) < 0.25, order[own, rank], rank)
    X = sp.csr_matrix((np.ones(total), (np.repeat(np.arange(rows), lengths), column)), (rows, columns))
    seen = np.bincount(X.indices, minlength=columns)
    X.data = (1 + np.log(X.data)) * np.log((1 + rows) / (1 + seen[X.indices]))
    norm = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data = np.round(X.data / np.repeat(norm, np.diff(X.indptr)), 4)
    X.eliminate_zeros()
    return X, flip(rng, topic, classes, noise)


def strokes(rng, rows, side=28, classes=10, noise=0.0):
    """Images of hand-drawn strokes, pixels 0..255: every class has a few curves, drawn with jitter, slant and shift."""
    points, templates = 24, 2
    knots = rng.uniform(-1, 1, (classes, templates, 5, 2))
    at = np.linspace(0, 4, points)
    low = np.minimum(at.astype(int), 3)
    part = (at - low)[:, None]
    curves = knots[:, :, low] * (1 - part) + knots[:, :, low + 1] * part  # classes, templates, points, 2
    labels = rng.integers(0, classes, rows)
    blocks = []
    for begin in range(0, rows, 5000):
        own = labels[begin:begin + 5000]
        n = len(own)
        drawn = curves[own, rng.integers(0, templates, n)]
        turn = np.eye(2) + 0.18 * rng.standard_normal((n, 2, 2))
        drawn = drawn @ turn + 0.1 * rng.standard_normal((n, 1, 2))
        drawn += np.cumsum(0.025 * rng.standard_normal((n, points, 2)), axis=1)
        place = (drawn * 0.32 + 0.5) * side
        image = np.zeros((n, side * side))
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                cell = np.floor(place).astype(int) + (dx, dy)
                ink = np.exp(-((cell + 0.5 - place) ** 2).sum(axis=2) / 0.7)
                ok = ((cell >= 0) & (cell < side)).all(axis=2)
                flat = np.arange(n)[:, None] * side * side + cell[..., 0] * side + cell[..., 1]
                image += np.bincount(flat[ok], ink[ok], n * side * side).reshape(n, -1)
        image = np.rint(255 * np.minimum(1, image))
        image[image < 16] = 0
        blocks.append(sp.csr_matrix(image))
    return sp.vstack(blocks, "csr"), flip(rng, labels, classes, noise)


# ---- Generators of problems for kernels and neighbours: columns scaled to [-1, 1] ----


def min_max(X):
    low, high = X.min(axis=0), X.max(axis=0)
    return np.round(2 * (X - low) / np.maximum(high - low, 1e-12) - 1, 6)


def clusters(rng, rows, columns, classes=2, each=4, width=0.25, noise=0.0, balance=1.0):
    """`each` clusters per class that partly overlap; class k has a share proportional to balance^k."""
    share = balance ** np.arange(classes)
    labels = rng.choice(classes, rows, p=share / share.sum())
    centres = rng.uniform(-1, 1, (classes, each, columns))
    widths = width * rng.uniform(0.5, 1.5, (classes, each, 1)) * rng.uniform(0.5, 1.5, (1, 1, columns))
    which = rng.integers(0, each, rows)
    X = centres[labels, which] + widths[labels, which] * rng.standard_normal((rows, columns))
    return min_max(X), flip(rng, labels, classes, noise)


def smooth(rng, rows, columns, classes=2, latent=0, length=1.0, noise=0.05, bias=0.0):
    """Labels by smooth random functions (random Fourier features) of `latent` hidden variables (0: the columns)."""
    hidden = latent or columns
    Z = rng.standard_normal((rows, hidden)) * rng.choice([0.4, 1.0], (rows, 1))
    wave = rng.standard_normal((hidden, 300)) / (length * np.sqrt(hidden))
    values = np.cos(Z @ wave + rng.uniform(0, 2 * np.pi, 300)) @ rng.standard_normal((300, classes))
    values = (values - values.mean(axis=0)) / values.std(axis=0) + bias * np.arange(classes)
    X = Z if not latent else np.tanh(Z @ rng.standard_normal((hidden, columns)) / np.sqrt(hidden))
    if latent:
        X = X + 0.05 * rng.standard_normal(X.shape)
    return min_max(X), flip(rng, values.argmax(axis=1), classes, noise)


# ---- Files ----

GENERATORS = {f.__name__: f for f in (dense, integers, probes, sparse, fields, text, strokes, clusters, smooth)}


def label_names(labels):
    binary = labels.max() <= 1
    return [("+1" if k else "-1") if binary else str(k + 1) for k in labels]


def write_libsvm(path, X, labels, digits):
    names = label_names(labels)
    with open(path, "w", encoding="ascii") as file:
        if not sp.issparse(X):
            line = "%s " + " ".join(f"{j + 1}:%.{digits}g" for j in range(X.shape[1])) + "\n"
            for name, row in zip(names, X.tolist()):
                file.write(line % (name, *row))
            return
        X.sort_indices()
        column = [f" {j + 1}:" for j in range(X.shape[1])]
        known, code = np.unique(X.data, return_inverse=True)
        value = [f"{v:.{digits}g}" for v in known]
        for i, name in enumerate(names):
            part = slice(X.indptr[i], X.indptr[i + 1])
            entries = [column[j] + value[c] for j, c in zip(X.indices[part].tolist(), code[part].tolist())]
            file.write(name + "".join(entries) + "\n")


def path_of(folder, generator, parameters):
    """The file of these parameters: shapes with the same data share it."""
    text_ = repr((VERSION, generator, sorted(parameters.items())))
    return os.path.join(folder, f"{generator}-{hashlib.sha256(text_.encode()).hexdigest()[:12]}.svm")


def generate(generator, parameters):
    parameters = {key: value for key, value in parameters.items() if key != "digits"}
    rng = np.random.default_rng(zlib.crc32(repr((generator, sorted(parameters.items()))).encode()))
    return GENERATORS[generator](rng, **parameters)


def make(folder, generator, parameters):
    """The path of the file, which is generated unless it is there."""
    path = path_of(folder, generator, parameters)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        X, labels = generate(generator, parameters)
        partial = f"{path}.{os.getpid()}"
        write_libsvm(partial, X, labels, parameters.get("digits", 6))
        os.replace(partial, path)
    return path


if __name__ == "__main__":
    # In a process of its own, so that the memory of a large data set is given back.
    import json

    make(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
