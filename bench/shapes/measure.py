"""Run halfspace and its peers on one shape, by turns, and evaluate both models.

A run is a dict: seconds, cpu, peak (bytes), and for halfspace what its report says; {"cut": True} if it was stopped
at the time limit, {"failed": reason} if it ended otherwise. A side is one program on one shape: its runs and its objective.
"""
import contextlib
import fcntl
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OTHERS = os.path.join(os.path.dirname(HERE), "others")
GAPS = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"]  # the first is the default of halfspace
WIDER = ["1e-1", "1e-2"]
MUCH = 1e-3  # where ours is better by more than this share at the default gap, a wider gap is enough for an equal objective
ENOUGH = 4.0  # seconds: a side that has used more is not run again


class Bench:
    """Where programs and files are, and the limits of a run."""

    def __init__(self, build, folder, runs=5, limit=60, old=None, lock=None):
        self.build, self.folder, self.runs, self.limit, self.old = build, folder, runs, limit, old
        self.halfspace = os.path.join(build, "halfspace")
        self.lock_path = lock

    def program(self, name):
        return os.path.join(self.build, "bench", name)

    def path(self, name):
        return os.path.join(self.folder, f"{name}.{os.getpid()}")

    def clean(self):
        """Remove the models of this process."""
        for name in glob.glob(os.path.join(self.folder, f"*.{os.getpid()}*")):
            os.remove(name)

    @contextlib.contextmanager
    def alone(self):
        """Hold the lock file, if one is given, while programs are timed."""
        if not self.lock_path:
            yield
            return
        with open(self.lock_path, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def data(self, shape):
        """The file of the shape, generated unless it is there."""
        import data

        path = data.path_of(self.folder, shape["generator"], shape["parameters"])
        if not os.path.exists(path):
            print(f"generating {shape['name']}", file=sys.stderr)
            subprocess.run(["nice", sys.executable, os.path.join(HERE, "data.py"), self.folder, shape["generator"],
                            json.dumps(shape["parameters"])], check=True)
        return path

    def run(self, command, limit, timed=True):
        """One process. With timed=False it prints its own "seconds=..." line, which then counts."""
        words = ["timeout", f"{limit:.3f}", *command]
        if timed:
            words = [self.program("elapsed"), *words]
        start = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        lines = [line for line in done.stdout.splitlines() if line.startswith("seconds=")]
        if not lines:
            if time.monotonic() - start >= limit:
                return {"cut": True, "seconds": limit}
            return {"failed": (done.stderr.strip().splitlines() or ["no output"])[-1]}
        result = dict(word.split("=", 1) for word in lines[-1].split())
        result = {key: _number(value) for key, value in result.items()}
        result["said"] = done.stderr
        return result


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


def good(run):
    return "cut" not in run and "failed" not in run


class Side:
    """The runs of one program on one shape."""

    def __init__(self, name, once):
        self.name, self.once = name, once  # once(limit) -> run
        self.runs, self.objective, self.gap, self.equal = [], None, None, None

    def again(self, limit):
        run = self.once(limit)
        self.runs.append(run)
        return run

    def may(self):
        return all(good(r) for r in self.runs) and sum(r["seconds"] for r in self.runs) < ENOUGH

    def result(self):
        if not self.runs:
            return None
        last = self.runs[-1]
        fine = [r for r in self.runs if good(r)]
        out = dict(name=self.name, gap_asked=self.gap, objective=self.objective, cut="cut" in last,
                   failed=last.get("failed"), seconds=last.get("seconds"), peak=None, runs=len(self.runs))
        if fine:
            out["seconds"] = statistics.median(r["seconds"] for r in fine)
            out["peak"] = max(r["peak"] for r in fine)
            for key in ("converged", "gap", "solver", "passes", "train_seconds", "load_seconds", "support_vectors", "stop",
                        "gave_up", "off", "index", "default_objective"):
                if key in fine[-1]:
                    out[key] = fine[-1][key]
        if self.equal:
            out["equal"] = self.equal.result()
        return out


# ---- Tasks ----


class Linear:
    """hinge, squared and logistic beside LIBLINEAR; softmax beside scikit-learn."""

    tolerance = 1e-7  # rows of 32 bits are the numbers of the file to 6e-8: nearer nothing is better or worse
    more_is_better = False

    def __init__(self, bench, shape):
        self.bench, self.shape, self.file = bench, shape, bench.data(shape)
        self.softmax = shape["task"] == "softmax"
        self.offset = "free" if self.softmax else "regularized"

    def peers(self):
        if self.softmax:
            return ["softmax"] if has_module("sklearn") else []
        if not shutil.which("liblinear-train"):
            return []
        # Solvers of the same problem, the likely faster one first: the dual one where columns are many.
        rows, columns = self.shape["parameters"]["rows"], self.shape["parameters"].get("columns", 784)
        pair = {"hinge": ["-s 3"], "squared": ["-s 2", "-s 1"], "logistic": ["-s 0", "-s 7"]}[self.shape["task"]]
        return pair[::-1] if columns > rows / 4 else pair

    def theirs(self, peer):
        model, C = self.bench.path("theirs"), f"{self.shape['C']:g}"

        def once(limit):
            if self.softmax:
                run = self.bench.run([sys.executable, os.path.join(OTHERS, "sklearn_svm.py"), "softmax", self.file, model, C],
                                     limit, timed=False)
                if good(run):
                    os.replace(model + ".txt", model)
                return run
            run = self.bench.run(["liblinear-train", *peer.split(), "-B", "1", "-c", C, self.file, model], limit)
            run["gave_up"] = "reaching max number of iterations" in run.pop("said", "")
            return run

        return Side(("scikit-learn " if self.softmax else "LIBLINEAR ") + peer, once), model

    def ours(self, program, gap):
        model = self.bench.path("ours")
        learner = {"logistic": ["logistic", "--multiclass", "ovr"], "softmax": ["logistic", "--multiclass", "softmax"]}.get(
            self.shape["task"], ["svm", "--loss", self.shape["task"], "--multiclass", "ovr"])
        command = [program, "train", *learner, "-q", "--json", "--offset", self.offset, "--C", f"{self.shape['C']:g}",
                   "--gap", gap, self.file, "-o", model]
        return Side("halfspace", lambda limit: reported(self.bench.run(command, limit))), model

    def judge(self, model, ours):
        del ours
        return judged([self.bench.program("objective"), self.shape["task"], f"{self.shape['C']:g}", self.offset, self.file,
                       model])


class Kernel:
    """rbf beside LIBSVM; more than two classes one-vs-one, the objectives are the duals."""

    tolerance = 1e-9
    more_is_better = True

    def __init__(self, bench, shape):
        self.bench, self.shape, self.file = bench, shape, bench.data(shape)

    def peers(self):
        return ["svm-train"] if shutil.which("svm-train") else []

    def theirs(self, peer):
        model = self.bench.path("theirs")
        command = [peer, "-q", "-c", f"{self.shape['C']:g}", "-g", f"{self.shape['gamma']:g}", self.file, model]
        return Side("LIBSVM " + peer, lambda limit: self.bench.run(command, limit)), model

    def ours(self, program, gap):
        model = self.bench.path("ours")
        command = [program, "train", "svm", "-q", "--json", "--kernel", f"rbf({self.shape['gamma']:g})", "--C",
                   f"{self.shape['C']:g}", "--multiclass", "ovo", "--gap", gap, self.file, "-o", model]
        return Side("halfspace", lambda limit: reported(self.bench.run(command, limit))), model

    def judge(self, model, ours):
        if ours:
            exported = model + ".libsvm"
            subprocess.run([self.bench.halfspace, "model", "export", "-q", "--format", "libsvm", model, "-o", exported],
                           check=True, capture_output=True)
            model = exported
        return judged([self.bench.program("kernel_objective"), model])


class Neighbours:
    """Every tenth row is a query; index and search in memory, exact on both sides."""

    def __init__(self, bench, shape):
        self.bench, self.shape, self.file = bench, shape, bench.data(shape)

    def peers(self):
        if not has_module("sklearn"):
            return []
        if self.shape["metric"] == "cosine":
            return ["brute-cosine"]
        few = self.shape["parameters"].get("columns", 784) <= 20
        return (["kd_tree"] if few else []) + (["faiss"] if has_module("faiss") else [])

    def theirs(self, peer):
        command = [sys.executable, os.path.join(OTHERS, "knn.py"), peer, self.file, "-", str(self.shape["k"]),
                   self.bench.path("neighbours")]
        return Side("faiss" if peer == "faiss" else "scikit-learn " + peer,
                    lambda limit: self.bench.run(command, limit, timed=False)), None

    def ours(self, program, gap):
        del gap
        near = os.path.join(os.path.dirname(program), "bench", "near")
        command = [near, self.file, "-", f"metric={self.shape['metric']}", f"k={self.shape['k']}", "threads=2",
                   "save=" + self.bench.path("neighbours")]
        return Side("halfspace", lambda limit: self.bench.run(command, limit, timed=False)
                    if os.path.exists(near) else {"failed": "no bench/near next to it"}), None


def has_module(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def judged(command):
    """The objective of a model; nan if it cannot be computed."""
    done = subprocess.run(["nice", *command], capture_output=True, text=True, check=False)
    if not done.stdout.startswith("objective="):
        print(done.stderr.strip(), file=sys.stderr)
        return float("nan")
    return float(done.stdout.split()[0].split("=")[1])


def reported(run):
    """What the report of halfspace says."""
    if good(run):
        said = run.pop("said")
        try:
            report = json.loads(said[said.index("{"):said.rindex("}") + 1])
        except ValueError:
            return {"failed": "no report: " + said.strip()[-200:]}
        for key in ("converged", "gap", "solver", "passes", "train_seconds", "load_seconds", "support_vectors", "stop"):
            run[key] = report.get(key)
    return run


# ---- One shape ----


def task_of(bench, shape):
    return {"rbf": Kernel, "knn": Neighbours}.get(shape["task"], Linear)(bench, shape)


def no_worse(task, ours, theirs):
    slack = task.tolerance * abs(theirs)
    return ours >= theirs - slack if task.more_is_better else ours <= theirs + slack


def fastest_peer(bench, task):
    """The side of the peer's solver that is fastest on this problem, with one run. Whole processes are stopped at the time of
    the best so far; programs that time a part of themselves cannot be."""
    best = None
    for peer in task.peers():
        side, model = task.theirs(peer)
        run = side.again(min(bench.limit, best.runs[0].get("seconds", bench.limit)) if best and model else bench.limit)
        if best is None or good(run) and not (good(best.runs[0]) and best.runs[0]["seconds"] < run["seconds"]):
            best = side
            if model and good(run):
                best.objective = task.judge(model, False)
    return best


def reach(bench, task, program, target):
    """Our side at the widest gap of GAPS at which its objective is no worse than `target`; one run."""
    default = None
    for gap in GAPS:
        side, model = task.ours(program, gap)
        side.gap = gap
        run = side.again(bench.limit)
        if not good(run) or model is None:
            break
        side.objective = task.judge(model, True)
        default = side.objective if default is None else default
        if target is None or no_worse(task, side.objective, target) or not run["converged"]:
            break
    for run in side.runs:
        run["default_objective"] = default
    return side


def wider(bench, task, program, side, target):
    """Where the default gap gives much more than the peer has: the side at the widest gap that is no worse, or None."""
    if target is None or side.objective is None or side.gap != GAPS[0] or abs(side.objective - target) <= MUCH * abs(target):
        return None
    for gap in WIDER:
        equal, model = task.ours(program, gap)
        equal.gap = gap
        if good(equal.again(bench.limit)):
            equal.objective = task.judge(model, True)
            if no_worse(task, equal.objective, target):
                return equal
    return None


def turns(bench, sides):
    """Further rounds, the side that begins changing from round to round."""
    for number in range(1, bench.runs):
        if not any(side.may() for side in sides):
            break
        order = sides if number % 2 else sides[::-1]
        for side in order:
            if side.may():
                default = side.runs[0].get("default_objective")
                side.again(bench.limit)["default_objective"] = default


def sides_of(bench, task):
    """theirs, ours and (with --compare) old, after all their runs."""
    if isinstance(task, Neighbours):  # the peer compares its neighbours with ours
        ours = reach(bench, task, bench.halfspace, None)
        theirs = fastest_peer(bench, task)
    else:
        theirs = fastest_peer(bench, task)
        ours = reach(bench, task, bench.halfspace, theirs.objective if theirs else None)
    old = reach(bench, task, bench.old, theirs.objective if theirs else None) if bench.old else None
    if theirs:
        ours.equal = wider(bench, task, bench.halfspace, ours, theirs.objective)
    turns(bench, [side for side in (theirs, ours, ours.equal, old) if side])
    return theirs, ours, old


def measure(bench, shape):
    """The record of one shape."""
    task = task_of(bench, shape)
    with bench.alone():
        theirs, ours, old = sides_of(bench, task)
    bench.clean()
    return dict(name=shape["name"], task=shape["task"], bytes=os.path.getsize(task.file),
                more_is_better=getattr(task, "more_is_better", False),
                **{key: side.result() if side else None for key, side in (("theirs", theirs), ("ours", ours), ("old", old))})
