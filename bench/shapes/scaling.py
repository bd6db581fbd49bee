"""Exponents of time on series of shapes, and how far each is from what bounds it.

The bound of a run is the time of what it cannot avoid on this machine:
  linear   read the text once, and the rows in memory once per pass of the solver, at the measured bandwidth
  rbf      compute each kernel value of a support vector with a row once: 2 d flops, at the measured rate of matrix products
  knn      compute the distances of all queries to all rows: 2 d flops each; a tree needs less, and may be below it
"""
import json
import os
import re
import statistics
import subprocess
import time

import grid
import measure
import numpy as np


def machine(bench):
    """Bytes per second of reading on two threads, flops of single-precision matrix products."""
    with bench.alone():
        done = subprocess.run([bench.program("bandwidth"), "2"], capture_output=True, text=True, check=True)
        rate = float(done.stdout.split("=")[1])
        a = np.ones((2048, 2048), np.float32)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            a @ a
            times.append(time.perf_counter() - start)
    return rate, 2 * 2048**3 / min(times)


def stored_bytes(shape):
    """Bytes of the rows in memory: 4 per value, and 4 per index where they are sparse."""
    p = shape["parameters"]
    if shape["generator"] == "sparse":
        return 8 * p["rows"] * p["columns"] * p["density"]
    return 4 * p["rows"] * p["columns"]


def bound(bench, shape, result, rate, flops):
    p = shape["parameters"]
    if shape["task"] == "rbf":
        return 2 * p["columns"] * p["rows"] * result["support_vectors"] / flops, "flops"
    if shape["task"] == "knn":
        return 2 * p["columns"] * 0.1 * 0.9 * p["rows"] ** 2 / flops, "flops"
    text = os.path.getsize(bench.data(shape))
    return (text + (result["passes"] or 1) * stored_bytes(shape)) / rate, "bytes"


def time_shape(bench, shape):
    """Our side alone: the median of up to `runs` runs."""
    task = measure.task_of(bench, shape)
    with bench.alone():
        side, _ = task.ours(bench.halfspace, measure.GAPS[0])
        for _ in range(bench.runs):
            if side.runs and not side.may():
                break
            side.again(bench.limit)
    bench.clean()
    return side.result()


def fit(x, y):
    """The exponent of y = a x^e by least squares of the logarithms, and R^2."""
    x, y = np.log(x), np.log(y)
    slope, intercept = np.polyfit(x, y, 1)
    rest = ((y - slope * x - intercept) ** 2).sum()
    return slope, 1 - rest / max(((y - y.mean()) ** 2).sum(), 1e-300)


def main(bench, only, json_path):
    chosen = [s for s in grid.scaling() if not only or re.search(only, f"{s['family']} {s['variable']}")]
    for s in chosen:
        for shape in s["shapes"]:
            bench.data(shape)
    rate, flops = machine(bench)
    print(f"reads {rate / 1e9:.1f} GB/s on two threads, matrix products {flops / 1e9:.0f} Gflop/s\n")
    print(f"{'':18} {'varies':10} {'from':>8} {'to':>8} {'seconds':>19} {'exponent':>8} {'R^2':>6} {'training':>8} {'R^2':>6}"
          f" {'bound s':>9} {'of':>5} {'times bound':>11}")
    records = []
    for s in chosen:
        results = [time_shape(bench, shape) for shape in s["shapes"]]
        if not all(r["seconds"] and not r["failed"] for r in results):
            print(f"{s['family']:18} {s['variable']:10} failed: {[r['failed'] for r in results]}")
            continue
        seconds = [r["seconds"] for r in results]
        exponent, r2 = fit(s["values"], seconds)
        training = [r.get("train_seconds") or r["seconds"] for r in results]
        training_exponent, training_r2 = fit(s["values"], training)
        least, of = bound(bench, s["shapes"][-1], results[-1], rate, flops)
        span = f"{seconds[0]:.4f} .. {seconds[-1]:.4f}"
        print(f"{s['family']:18} {s['variable']:10} {s['values'][0]:>8g} {s['values'][-1]:>8g} {span:>19} {exponent:8.2f} {r2:6.3f}"
              f" {training_exponent:8.2f} {training_r2:6.3f} {least:9.4f} {of:>5} {seconds[-1] / least:11.1f}", flush=True)
        records.append(dict(family=s["family"], variable=s["variable"], values=s["values"], seconds=seconds, exponent=exponent,
                            r2=r2, training=training, training_exponent=training_exponent, training_r2=training_r2, bound=least,
                            bound_of=of, converged=[r.get("converged") for r in results]))
    print("\nexponent: of the whole process, text file to model (knn: index and search in memory); training: of training alone. The bound"
          "\nis that of the largest shape of the series. median of times bound:",
          f"{statistics.median(r['seconds'][-1] / r['bound'] for r in records):.1f}" if records else "-")
    if json_path:
        with open(json_path, "w") as file:
            json.dump(dict(bytes_per_second=rate, flops=flops, series=records), file, indent=1)
