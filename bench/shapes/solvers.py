"""bench/shapes.sh --solvers: is `auto` about as fast as the best fixed solver?"""
import statistics

import grid
import measure

FIXED = ("newton", "dcd")
ENOUGH = 1.3  # times the time of the best fixed solver
TINY = 0.002  # seconds: differences below this are not counted


def command_of(task, program, solver):
    """The command of a shape with this solver, and nothing saved."""
    shape = task.shape
    learner = ["logistic", "--multiclass", "ovr"] if shape["task"] == "logistic" else ["svm", "--loss", shape["task"]]
    return [program, "train", *learner, "-q", "--json", "--offset", task.offset, "--C", f"{shape['C']:g}", "--solver", solver,
            "--max-seconds", f"{task.bench.limit:g}", task.file]


def seconds_of(runs):
    """The median time of training of those that converged; infinite: none did."""
    times = [r["train_seconds"] for r in runs if measure.good(r) and r.get("converged")]
    return statistics.median(times) if times and len(times) == len(runs) else float("inf")


def compare(bench, shape):
    task = measure.task_of(bench, shape)
    sides = {name: [] for name in ("auto", *FIXED)}
    for number in range(bench.runs):
        for name in list(sides) if number % 2 else list(sides)[::-1]:
            if sum(r.get("seconds", 0) for r in sides[name]) > measure.ENOUGH:
                continue
            sides[name].append(measure.reported(bench.run(command_of(task, bench.halfspace, name), 2 * bench.limit)))
    chosen = next((r["solver"] for r in sides["auto"] if measure.good(r)), "-")
    return chosen, {name: seconds_of(runs) for name, runs in sides.items()}


def main(bench, only):
    shapes = [s for s in grid.linear() if s["parameters"]["rows"] * s["parameters"].get("columns", 784) < 1e8 and only(s)]
    for shape in shapes:
        bench.data(shape)
    print(f"{'shape':38} {'auto is':8} {'auto':>9}" + "".join(f"{name:>10}" for name in FIXED) + f"{'auto/best':>11}")
    within = 0
    for shape in shapes:
        chosen, times = compare(bench, shape)
        best = min(times[name] for name in FIXED)
        fine = times["auto"] <= ENOUGH * best + TINY
        within += fine
        ratio = times["auto"] / best if best < float("inf") and best > 0 else float("nan")
        print(f"{shape['name']:38} {chosen:8} {times['auto']:9.4f}" + "".join(f"{times[name]:10.4f}" for name in FIXED)
              + f"{ratio:11.2f}{'' if fine else '  <- too slow'}", flush=True)
    print(f"\nseconds of training, medians; inf: not converged in {bench.limit:g} s. auto within {ENOUGH} times of the best fixed "
          f"solver (or {1000 * TINY:g} ms): {within} of {len(shapes)} shapes")
