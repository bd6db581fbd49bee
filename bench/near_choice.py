#!/usr/bin/env python3
"""Is the index that `auto` chooses the fastest? A grid of generated shapes, each searched with every index that serves.

near_choice.py BUILD [DIR]

Prints processor seconds (index and search) of each index, what auto chose, and how many times the best auto takes. DIR keeps the
data (build/bench/choice). Runs are repeated three times, the least counts.
"""
import os
import subprocess
import sys

import numpy

build = sys.argv[1]
folder = sys.argv[2] if len(sys.argv) > 2 else "build/bench/choice"
os.makedirs(folder, exist_ok=True)


def rows(kind, n, d, rng):
    if kind == "gauss":
        return rng.standard_normal((n, d))
    if kind == "cluster":
        centre = 3 * rng.standard_normal((30, d))
        return centre[rng.integers(0, 30, n)] + 0.3 * rng.standard_normal((n, d))
    if kind == "plane":  # three directions, and a little of all
        return rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)) + 0.05 * rng.standard_normal((n, d))
    return rng.integers(0, 10, (n, d)).astype(float)  # digits


def write(path, x):
    if os.path.exists(path):
        return
    with open(path, "w") as file:
        for row in x:
            file.write("0 " + " ".join(f"{c + 1}:{v:.4g}" for c, v in enumerate(row)) + "\n")


def seconds(path, k, metric, index):
    best, name = None, None
    for _ in range(3):
        command = [build + "/bench/near", path, path + ".t", f"k={k}", f"metric={metric}", f"index={index}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, None
        words = dict(word.split("=") for word in done.stdout.split())
        best = min(float(words["cpu"]), best or 1e9)
        name = words["index"]
    return best, name


print(f"{'rows':36} {'scan':>8} {'tree':>8} {'product':>8} {'auto':>8}  chosen   times")
worst = 0
shapes = ((2000, 4), (50000, 2), (50000, 6), (50000, 9), (50000, 14), (20000, 24), (8000, 150))
cases = [("l2", kind, n, d) for kind in ("gauss", "cluster", "plane", "digits") for n, d in shapes]
cases += [("l1", kind, 8000, d) for kind in ("gauss", "plane") for d in (3, 8, 16, 40)]
for metric, kind, n, d in cases:
    path = f"{folder}/{kind}-{n}-{d}"
    x = rows(kind, n + n // 10, d, numpy.random.default_rng(d))
    write(path, x[n // 10 :])
    write(path + ".t", x[: n // 10])
    for k in (1, 10, 50):
        # a scan of many rows is never the best, and takes minutes
        tried = ["scan"] * (n <= 8000) + ["tree", "product", "auto"]
        taken = {index: seconds(path, k, metric, index) for index in tried}
        fixed = min(t for index, (t, _) in taken.items() if index != "auto" and t is not None)
        times = taken["auto"][0] / fixed
        worst = max(worst, times)
        cells = [taken.get(index, (None, None))[0] for index in ("scan", "tree", "product", "auto")]
        line = " ".join(f"{t:8.4f}" if t is not None else f"{'-':>8}" for t in cells)
        print(f"{f'{metric}, {kind}, {n} x {d}, k = {k}':36} {line}  {taken['auto'][1]:8} {times:5.2f}", flush=True)
print(f"auto takes at most {worst:.2f} times the best")
