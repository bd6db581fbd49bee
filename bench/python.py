#!/usr/bin/env python3
"""The Python package beside scikit-learn, on the same arrays, in one process, by turns.

    bench/python.py DATA [--runs N] [--only linear|kernel|knn|overhead] [--json FILE]

DATA has the folders a9a, w8a, mnist, 20news and covtype_20k (what is missing is left out). Arrays are float64: CSR where the
file is sparse, dense for covtype_20k and mnist (pixels / 255). Medians of N rounds; of what takes scikit-learn more than
20 seconds, one round. Objectives are computed from coef_ and intercept_ (kernel: from the dual coefficients) of both, by
the same code; `tol` of ours is lowered until ours is no worse than theirs.
"""
import argparse
import glob
import json
import os
import statistics
import time
import warnings

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model
import sklearn.neighbors
import sklearn.svm

import halfspace

warnings.simplefilter("ignore")
results = []


def find(data, *names):
    for name in names:
        found = sorted(glob.glob(os.path.join(data, name)))
        if found:
            return found[0]
    return None


def read(data, *names, dense=False, scale=1.0):
    path = find(data, *names)
    if path is None:
        return None
    X, y = halfspace.read(path, precision="double")
    if dense and sp.issparse(X):
        X = X.toarray()
    X = X.astype(np.float64) * scale if not sp.issparse(X) else sp.csr_matrix(X.astype(np.float64))
    return X, y


def timed(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def turns(ours, theirs, runs):
    """Medians of both, by turns; their last results."""
    a, b = [], []
    for i in range(runs):
        seconds, mine = timed(ours)
        a.append(seconds)
        if i == 0 or statistics.median(b) < 20:
            seconds, other = timed(theirs)
            b.append(seconds)
    return statistics.median(a), statistics.median(b), mine, other


def row(task, theirs, t_theirs, t_ours, note=""):
    ratio = t_theirs / t_ours
    results.append(dict(task=task, theirs=theirs, their_seconds=t_theirs, our_seconds=t_ours, ratio=ratio, note=note))
    print(f"{task:46s} {theirs:26s} {t_theirs:10.4f} {t_ours:10.4f} {ratio:8.1f}  {note}", flush=True)


# ---- Objectives ----


def squared_hinge(X, y, model, regularized):
    total = 0.0
    for c, (w, b) in enumerate(zip(model.coef_, model.intercept_)):
        sign = np.where(y == model.classes_[c if len(model.coef_) > 1 else 1], 1.0, -1.0)
        s = np.asarray(X @ w).ravel() + b
        total += (w @ w + regularized * b * b) / 2 + np.sum(np.maximum(0, 1 - sign * s) ** 2)
    return total


def log_loss(X, y, model):
    w, b = model.coef_, model.intercept_
    s = np.asarray(X @ w.T) + b
    at = np.searchsorted(model.classes_, y)
    if s.shape[1] == 1:
        loss = np.logaddexp(0, -np.where(at == 1, 1, -1) * s[:, 0])
    else:
        top = s.max(axis=1)
        loss = top + np.log(np.exp(s - top[:, None]).sum(axis=1)) - s[np.arange(len(y)), at]
    return (w * w).sum() / 2 + loss.sum()


def no_worse(make, X, y, objective, bound):
    """The largest tol of 1e-2, 1e-3, ... whose objective is at most `bound`, and that objective."""
    for digits in range(2, 10):
        tol = 10.0**-digits
        value = objective(make(tol).fit(X, y))
        if value <= bound * (1 + 1e-9):
            break
    return tol, value


# ---- Tasks ----


def linear(sets, runs):
    for name, (X, y) in sets.items():
        theirs = sklearn.svm.LinearSVC()
        value = squared_hinge(X, y, theirs.fit(X, y), 1)

        def make(tol):
            return halfspace.LinearSVM(fit_intercept="regularized", tol=tol)

        tol, ours_value = no_worse(make, X, y, lambda m: squared_hinge(X, y, m, 1), value)
        ours, other, _, _ = turns(lambda: make(tol).fit(X, y), lambda: sklearn.svm.LinearSVC().fit(X, y), runs)
        row(f"{name}: fit, squared hinge", "LinearSVC", other, ours, f"objective {ours_value:.6g} / {value:.6g}, tol {tol:g}")

        def logistic():
            return sklearn.linear_model.LogisticRegression(n_jobs=2)

        value = log_loss(X, y, logistic().fit(X, y))
        tol, ours_value = no_worse(lambda t: halfspace.LogisticRegression(tol=t), X, y, lambda m: log_loss(X, y, m), value)
        ours, other, _, _ = turns(lambda: halfspace.LogisticRegression(tol=tol).fit(X, y), lambda: logistic().fit(X, y), runs)
        row(f"{name}: fit, logistic", "LogisticRegression", other, ours, f"objective {ours_value:.6g} / {value:.6g}, tol {tol:g}")


def dual_objective(model, K):
    a = model.dual_coef_
    return abs(a).sum() - 0.5 * float(a @ K @ a.T) if a.shape[0] == 1 else None


def kernel(sets, runs):
    for name, (X, y, X_test, C, gamma) in sets.items():
        ours, other, mine, theirs = turns(
            lambda: halfspace.SVC(C=C, gamma=gamma).fit(X, y), lambda: sklearn.svm.SVC(C=C, gamma=gamma).fit(X, y), runs
        )
        note = f"{len(mine.support_)} / {len(theirs.support_)} support vectors"
        if len(mine.classes_) == 2:
            def objective(model):
                V = model.support_vectors_
                sq = np.asarray(V.multiply(V).sum(axis=1)).ravel() if sp.issparse(V) else (V * V).sum(axis=1)
                total, a = 0.0, model.dual_coef_
                a = np.asarray(a.toarray() if sp.issparse(a) else a)[0]
                for i in range(0, len(a), 2000):
                    G = V[i : i + 2000] @ V.T
                    G = G.toarray() if sp.issparse(G) else G
                    total += a[i : i + 2000] @ (np.exp(-gamma * (sq[i : i + 2000, None] + sq - 2 * G)) @ a)
                return np.abs(a).sum() - total / 2

            note += f", dual objective {objective(mine):.6f} / {objective(theirs):.6f}"
        row(f"{name}: fit, rbf, C = {C:g}, gamma = {gamma:g}", "SVC", other, ours, note)
        ours, other, a, b = turns(lambda: mine.predict(X_test), lambda: theirs.predict(X_test), runs)
        row(f"{name}: predict {X_test.shape[0]} rows", "SVC", other, ours, f"{np.mean(a != b):.3%} differ")


def knn(X, y, X_test, runs):
    mine = halfspace.KNeighborsClassifier(5)
    other = sklearn.neighbors.KNeighborsClassifier(5, n_jobs=2)
    t, o, _, _ = turns(lambda: mine.fit(X, y).predict(X_test), lambda: other.fit(X, y).predict(X_test), runs)
    row("mnist: 5 nearest neighbours, fit and predict 10,000", "KNeighborsClassifier", o, t)


def overhead():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = (X[:, 0] > 0).astype(int)
    for name, make in [("LinearSVM", halfspace.LinearSVM), ("LogisticRegression", halfspace.LogisticRegression), ("Perceptron", halfspace.Perceptron)]:
        model = make().fit(X, y)
        for what, call in [("predict", lambda: model.predict(X)), ("fit", lambda: model.fit(X, y))]:
            times = []
            for _ in range(2000):
                begin = time.perf_counter()
                call()
                times.append(time.perf_counter() - begin)
            core = model.report_["train_seconds"] if what == "fit" else 0.0
            micro = (statistics.median(times) - core) * 1e6
            results.append(dict(task=f"{name}.{what}, 100 x 4", microseconds=micro))
            print(f"{name}.{what} on 100 rows x 4 columns: {statistics.median(times) * 1e6:.1f} microseconds, {micro:.1f} without training itself")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["linear", "kernel", "knn", "overhead"])
    parser.add_argument("--sets", default="a9a,w8a,mnist,20news,covtype")
    parser.add_argument("--json")
    args = parser.parse_args()
    wanted = args.sets.split(",")

    def load(name, *names, **how):
        return read(args.data, *names, **how) if name in wanted else None

    print(f"{'task':46s} {'compared with':26s} {'theirs, s':>10s} {'ours, s':>10s} {'ratio':>8s}")
    if args.only in (None, "overhead"):
        overhead()
    mnist = load("mnist", "mnist/mnist.xz", "mnist/mnist.zst", "mnist/mnist", dense=True, scale=1 / 255)
    a9a = load("a9a", "a9a/a9a.zst", "a9a/a9a")
    if args.only in (None, "linear"):
        sets = {
            "a9a": a9a,
            "w8a": load("w8a", "w8a/w8a.zst", "w8a/w8a"),
            "covtype_20k": load("covtype", "covtype_20k/covtype20k.binary*", dense=True),
            "20news": load("20news", "20news/20news.tfidf.xz", "20news/20news.tfidf"),
            "mnist": mnist,
        }
        linear({name: data for name, data in sets.items() if data is not None}, args.runs)
    if args.only in (None, "kernel"):
        sets = {}
        if a9a is not None:
            test = read(args.data, "a9a/a9a.t*")
            n = a9a[0].shape[1]
            T = sp.csr_matrix((test[0].data, test[0].indices, test[0].indptr), shape=(test[0].shape[0], n)) if test else a9a[0]
            sets["a9a"] = (*a9a, T, 1.0, 1 / 123)
        if mnist is not None:
            sets["mnist10k"] = (mnist[0][:10000], mnist[1][:10000], mnist[0][10000:20000], 1.0, 0.02)
        kernel(sets, min(args.runs, 3))
    if args.only in (None, "knn") and mnist is not None:
        T = read(args.data, "mnist/mnist.t*", dense=True, scale=1 / 255)
        T = mnist[0][:10000] if T is None else np.pad(T[0], ((0, 0), (0, max(0, mnist[0].shape[1] - T[0].shape[1]))))[:, : mnist[0].shape[1]]
        knn(*mnist, T, min(args.runs, 3))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
