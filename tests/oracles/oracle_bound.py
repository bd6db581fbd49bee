"""Bounds on new data against SciPy's beta distribution, and against whole numbers and fractions of Python.

Exact binomial limits are quantiles of the beta distribution; sample sizes are checked by counting with integers of any size; the bounds by
VC dimension, margin and PAC-Bayes are worked out again from the weights in the model file.
"""
# needs: numpy scipy
import json
import math
import os
import sys

import numpy
from scipy import optimize, special, stats

from oracle import container, halfspace, read, run

LN2 = math.log(2)


def prepare(folder, seed, rows, columns, noise, *options, learner="svm"):
    """Two files of one distribution, and a model of the first."""
    every, train, test, model = (os.path.join(folder, name) for name in ("all.svm", "a.svm", "b.svm", "m.hsp"))
    halfspace("make", "halfspace", "-q", "--rows", str(rows), "--features", str(columns), "--noise", str(noise), "--seed",
              str(seed), "-o", every)
    halfspace("split", "-q", every, train, test, "--test", "0.4", "--no-stratified", "--seed", str(seed))
    halfspace("train", learner, "-q", train, "-o", model, *options)
    return train, test, model


def bounds(*arguments):
    told = json.loads(halfspace("bound", "-q", "--json", *arguments))
    return told, {bound["name"]: bound for bound in told["bounds"]}


def close(ours, theirs, tolerance=1e-8):
    assert abs(ours - theirs) <= tolerance * abs(theirs), f"{ours!r} and {theirs!r}"


def binomial_limits(folder):
    for seed, noise, delta in (1, 0.0, 0.05), (2, 0.1, 1e-3), (3, 0.3, 0.5), (4, 0.5, 1e-9):
        train, test, model = prepare(folder, seed, 400, 3, noise)
        told, found = bounds(model, "--train", train, "--test", test, "--delta", repr(delta))
        n, m = told["held_out"]["rows"], told["held_out"]["mistakes"]
        assert n == 160
        close(found["test-binomial"]["value"], stats.beta.isf(delta, m + 1, n - m))
        close(told["true_error_least"], stats.beta.ppf(delta, m, n - m + 1) if m else 0)
        close(found["test-hoeffding"]["value"], m / n + math.sqrt(math.log(1 / delta) / (2 * n)))
        chernoff = found["test-chernoff"]["value"]
        close(special.rel_entr(m / n, chernoff) + special.rel_entr(1 - m / n, 1 - chernoff), math.log(1 / delta) / n, 1e-6)


def growth(d, m):
    """Cover's count: in how many ways halfspaces of d columns cut m points."""
    return 2 * sum(math.comb(m - 1, i) for i in range(d + 1))


def sauer(v, m):
    return sum(math.comb(m, i) for i in range(v + 1))


def sample_sizes(folder):
    def rows(*arguments):
        return int(json.loads(halfspace("bound", "sample-size", "--json", *arguments))["rows"])

    for eps, delta in (0.1, 0.05), (0.02, 1e-6), (0.5, 0.5):
        given = ["--epsilon", repr(eps), "--delta", repr(delta)]
        for H in 1, 2, 1000, 10**12:
            assert rows(*given, "--hypotheses", str(H)) == math.ceil((math.log(H) + math.log(1 / delta)) / eps)
            assert rows(*given, "--hypotheses", str(H), "--agnostic") == math.ceil(
                (math.log(H) + math.log(2 / delta)) / (2 * eps**2)
            )
        for name, pi in (
            ("halfspaces:5", lambda m: growth(5, m)),
            ("origin:5", lambda m: growth(4, m)),
            ("intervals", lambda m: 1 + m * (m + 1) // 2),
            ("thresholds", lambda m: m + 1),
            ("boxes:2", lambda m: sauer(4, m)),
        ):
            n = rows(*given, "--class", name)
            fails = lambda n: math.log(2 * pi(2 * n)) - n * eps / 2 * LN2 > math.log(delta)
            assert not fails(n) and fails(n - 1), (name, eps, delta, n)
            n = rows(*given, "--class", name, "--agnostic")
            fails = lambda n: math.log(4 * pi(2 * n)) - n * eps**2 / 8 > math.log(delta)
            assert not fails(n) and fails(n - 1), (name, eps, delta, n)


def training_bounds(folder):
    for seed, columns, offset in (1, 3, "free"), (2, 6, "free"), (3, 4, "none"):
        train, test, model = prepare(folder, seed, 3000, columns, 0.03, "--offset", offset)
        told, found = bounds(model, "--train", train)
        n, m = told["training"]["rows"], told["training"]["mistakes"]
        pi = growth(columns - (offset == "none"), 2 * n)
        tau = math.log(4 * pi / 0.05) / n
        close(found["vc"]["value"], m / n + math.sqrt(8 * tau))
        close(found["vc-relative"]["value"], m / n + 2 * tau + 2 * math.sqrt(tau * (tau + m / n)))
        bits = 12 + math.log2(columns + 1) + 64 * (columns + 1)
        tail = lambda p: stats.binom.logcdf(m, n, p) - (math.log(0.05) - bits * LN2)
        close(found["description"]["value"], optimize.brentq(tail, m / n, 1 - 1e-9, xtol=1e-14), 1e-6)
        data, (_, arrays) = read(train), container(model)
        matrix = data.dense().astype(float)
        labels = numpy.where(numpy.array(data.labels()) == data.classes[1], 1, -1)
        weights, b = arrays["weights"].ravel(), float(arrays["offsets"].ravel()[0])
        margins = labels * (matrix @ weights + b)
        assert int((margins <= 0).sum()) == m
        # PAC-Bayes and margins hold for whatever constant was taken: with that one, the same value
        for name in "pac-bayes", "margin":
            figures = found[name]["figures"]
            c = float(figures.rsplit("constant column ", 1)[1])
            i = round(math.log2(c)) if c else 0
            share = (0.5 if i == 0 else 1 / (2 * (abs(i) + 1) * (abs(i) + 2))) if c else 1
            length = math.sqrt(weights @ weights + (b / c) ** 2 if c else weights @ weights)
            squares = (matrix**2).sum(axis=1) + c * c
            if name == "pac-bayes":
                cosines = margins / (length * numpy.sqrt(squares))
                def value(log_mu):
                    mu = math.exp(log_mu)
                    gibbs = stats.norm.sf(mu * cosines).mean()
                    limit = (mu * mu / 2 + math.log(2 * math.sqrt(n) / (0.05 * share))) / n
                    kl = lambda p: special.rel_entr(gibbs, p) + special.rel_entr(1 - gibbs, 1 - p) - limit
                    return 2 * optimize.brentq(kl, gibbs, 1 - 1e-12)
                best = optimize.minimize_scalar(value, bounds=(-0.7, 7), method="bounded").fun
                assert best * (1 - 1e-6) <= found[name]["value"] <= best * 1.01, (best, found[name]["value"])
            else:
                j = round(2 * math.log2(float(figures.split("gamma = ")[1].split(",")[0])))
                gamma = 2 ** (j / 2)
                other = 0.5 if j == 0 else 1 / (2 * (abs(j) + 1) * (abs(j) + 2))
                ramp = numpy.clip(1 - margins / length / gamma, 0, 1).mean()
                close(found[name]["value"], ramp + 2 * math.sqrt(squares.sum()) / (gamma * n)
                      + 3 * math.sqrt(math.log(2 / (0.05 * share * other)) / (2 * n)), 1e-6)


def compression(folder):
    train, test, model = prepare(folder, 7, 1500, 3, 0.02, "--passes", "2", learner="perceptron")
    told, found = bounds(model, "--train", train)
    figures = found["compression"]["figures"]
    k, m = int(figures.split("k = ")[1].split()[0]), int(figures.split(", ")[1].split()[0])
    n = told["training"]["rows"]
    price = math.log(n * math.comb(n, k))
    tail = lambda p: stats.binom.logcdf(m, n - k, p) - (math.log(0.05) - price)
    close(found["compression"]["value"], optimize.brentq(tail, m / (n - k), 1 - 1e-9, xtol=1e-14), 1e-6)


if __name__ == "__main__":
    sys.exit(run([binomial_limits, sample_sizes, training_bounds, compression]))
