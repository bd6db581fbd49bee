"""bench/shapes.sh on tiny shapes: its generators, lists, runs, tables and fits."""
# needs: numpy scipy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, "bench/shapes")
import data  # noqa: E402
import grid  # noqa: E402
import measure  # noqa: E402
import report  # noqa: E402
import scaling  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
HALFSPACE = os.environ.get("HALFSPACE", f"{BUILD}/halfspace")
failed = False


def check(name, fine):
    global failed
    print(("ok " if fine else "FAILED ") + name)
    failed = failed or not fine


def shapes(*words, env=None):
    done = subprocess.run(["bench/shapes.sh", BUILD, *words], capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stdout, done.stderr


def test_list():
    names = [line.split()[0] for line in shapes("--list")[1].splitlines()]
    quick = [line.split()[0] for line in shapes("--list", "--quick")[1].splitlines()]
    check("60 to 100 shapes, each with a name of its own", 60 <= len(names) <= 100 and len(set(names)) == len(names))
    tasks = {s["task"] for s in grid.SHAPES}
    check("--quick is a part of them with every kind of task",
          set(quick) < set(names) and {s["task"] for s in grid.SHAPES if s["quick"]} == tasks)
    check("--only takes a regular expression", shapes("--list", "--only", "^rbf-100x2$")[1].split()[0] == "rbf-100x2")
    check("a pattern that matches nothing is an error", shapes("--only", "nothing-like-this")[0] != 0)


def test_generators():
    small = dict(dense=dict(rows=60, columns=5, classes=3, spread=1e4, correlated=100, mean=10, digits=9),
                 integers=dict(rows=60, columns=7, largest=99), probes=dict(rows=60, columns=30),
                 sparse=dict(rows=60, columns=50, density=0.1), fields=dict(rows=60, columns=20, count=4),
                 text=dict(rows=60, columns=200, words=10, classes=4), strokes=dict(rows=60, side=12),
                 clusters=dict(rows=60, columns=3, classes=3), smooth=dict(rows=60, columns=4, latent=2, classes=3))
    check("every generator is tested here", set(small) == set(data.GENERATORS))
    for name, parameters in small.items():
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            paths = [data.make(folder, name, parameters) for folder in (one, two)]
            files = [open(path, "rb").read() for path in paths]
            said = subprocess.run([HALFSPACE, "inspect", "--json", "-q", paths[0]], capture_output=True, text=True, check=False)
            X, labels = data.generate(name, parameters)
            found = json.loads(said.stdout) if said.returncode == 0 else {}
            check(f"{name}: the same file twice, with the rows and classes asked for", files[0] == files[1] and X.shape[0] == 60
                  and found.get("rows") == 60 and len(found.get("classes")) == len(set(labels.tolist())))
    X, _ = data.generate("fields", small["fields"])
    check("fields: one value per field", sp.issparse(X) and (np.diff(X.indptr) == 4).all() and X.indices.max() < 20)
    X, _ = data.generate("dense", dict(rows=2000, columns=4, spread=1e6))
    ratio = X.std(axis=0).max() / X.std(axis=0).min()
    check("dense: the spread of the column scales", 5e5 < ratio < 2e6)
    X, _ = data.generate("dense", dict(rows=2000, columns=4, correlated=1e6))
    check("dense: the condition number of the correlation", 3e5 < np.linalg.cond(X.T @ X) < 3e6)


def measured(folder, pattern, *words, env=None):
    out = os.path.join(folder, "out.json")
    status, said, complaint = shapes("--quick", "--only", pattern, "--runs", "2", "--folder", folder, "--json", out, *words, env=env)
    if status != 0:
        print(complaint, file=sys.stderr)
        return None, said
    with open(out) as file:
        return json.load(file), said


def test_measure():
    with tempfile.TemporaryDirectory() as folder:
        for program, pattern, kind in (("liblinear-train", "^dense-100x2-hinge$", "linear"), ("svm-train", "^rbf-100x2$", "rbf")):
            if not shutil.which(program):
                print(f"skipped {kind}: no {program} here")
                continue
            records, said = measured(folder, pattern, "--compare", HALFSPACE)
            fine = bool(records) and len(records) == 1
            one = records[0] if fine else {}
            check(f"{kind}: both sides are timed and the objective is no worse", fine and one["theirs"]["seconds"] > 0
                  and one["ours"]["converged"] and float(report.difference(one)) <= 1e-7)
            check(f"{kind}: the old program is run as well", fine and one["old"]["seconds"] > 0 and "old/new" in said)
            again = shapes("--from", os.path.join(folder, "out.json"))[1]
            check(f"{kind}: --from prints the same tables", fine and again == said)
        check("models are removed", not [name for name in os.listdir(folder) if re.search(r"\.\d+", name)])


def test_without_peers():
    with tempfile.TemporaryDirectory() as folder:
        for tool in ("sh", "dirname", "timeout", "nice"):
            os.symlink(shutil.which(tool), os.path.join(folder, tool))
        os.symlink(sys.executable, os.path.join(folder, "python3"))
        records, _ = measured(folder, "^dense-100x2-hinge$", env={**os.environ, "PATH": folder})
        check("a peer that is not installed is left out",
              bool(records) and records[0]["theirs"] is None and records[0]["ours"]["converged"])


def test_softmax():
    """The objective of softmax by bench/objective, and from the definition, of weights in LIBLINEAR's text."""
    with tempfile.TemporaryDirectory() as folder:
        parameters = dict(rows=50, columns=3, classes=4)
        path = data.make(folder, "dense", parameters)
        rng = np.random.default_rng(1)
        W, model = rng.standard_normal((4, 4)), os.path.join(folder, "model")
        with open(model, "w") as file:
            file.write("solver_type L2R_LR\nnr_class 4\nlabel 1 2 3 4\nnr_feature 3\nbias 1\nw\n")
            np.savetxt(file, W, fmt="%.17g")
        lines = [line.split() for line in open(path)]
        y = np.array([int(words[0]) - 1 for words in lines])
        X = np.array([[float(word.split(":")[1]) for word in words[1:]] for words in lines])
        scores = X @ W[:3] + W[3]
        expected = (W[:3] ** 2).sum() / 2 + 2 * (np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(50), y]).sum()
        said = subprocess.run([f"{BUILD}/bench/objective", "softmax", "2", "free", path, model], capture_output=True, text=True,
                              check=True).stdout
        check("objective of softmax", abs(float(said.split()[0].split("=")[1]) / expected - 1) < 1e-12)


def test_report():
    side = dict(name="x", gap_asked="1e-3", objective=1.0, cut=False, failed=None, seconds=1.0, peak=1e6, runs=1, converged=True)
    far = dict(name="far", task="hinge", bytes=2e7, more_is_better=False, theirs={**side, "seconds": 60, "cut": True, "peak": None},
               ours=side, old=None)
    bad = dict(name="bad", task="hinge", bytes=2e7, more_is_better=False, theirs=side,
               ours={**side, "seconds": 0.5, "converged": False, "stop": "passes", "objective": 1.1}, old=None)
    both = dict(far, name="both", ours={**side, "seconds": 60, "cut": True, "peak": None})
    check("two programs that were stopped have no ratio", report.ratio(both) is None and "both: stopped" in report.summary([both]))
    said = report.summary([far, bad])
    check("a peer that was stopped is shown as >", ">60" in report.line(far) and ">60.0" in said)
    check("the summary names what did not converge, is worse, or needs much memory",
          "not converged: 1\n  bad: NO, passes" in said and "every gap tried: 1\n  bad: +1.0e-01" in said
          and "peak memory: 1\n  1.00  bad" in said and "1 below 5" in said)


def test_fastest_peer():
    """A peer that times a part of itself is not stopped at the time of the best so far."""
    limits = []

    class Task:
        def peers(self):
            return ["slow", "fast", "slower"]

        def theirs(self, peer):
            def once(limit):
                limits.append(limit)
                return {"seconds": {"slow": 2.0, "fast": 1.0, "slower": 3.0}[peer]}

            return measure.Side(peer, once), None

    best = measure.fastest_peer(measure.Bench(BUILD, ".", limit=60), Task())
    check("the fastest of the peer's solvers counts", best.name == "fast" and limits == [60, 60, 60])


def test_fit():
    exponent, r2 = scaling.fit([1, 2, 4, 8], [3, 12, 48, 192])
    check("the exponent of a power", abs(exponent - 2) < 1e-9 and r2 > 1 - 1e-9)


for test in (test_list, test_generators, test_measure, test_without_peers, test_softmax, test_report, test_fastest_peer, test_fit):
    test()
sys.exit(failed)
