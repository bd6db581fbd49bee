"""Command line of bench/shapes.sh, which documents it."""
import argparse
import json
import os
import re
import sys

import grid
import measure
import report


def options():
    parser = argparse.ArgumentParser(prog="bench/shapes.sh", description="halfspace and its peers over a grid of shapes")
    parser.add_argument("build", nargs="?", default="build/release" if os.path.exists("build/release/halfspace") else "build")
    parser.add_argument("--quick", action="store_true", help="only the small shapes that cover every task")
    parser.add_argument("--only", metavar="PATTERN", help="only shapes whose name contains this regular expression")
    parser.add_argument("--list", action="store_true", help="print the shapes and exit")
    parser.add_argument("--make", action="store_true", help="generate the files and exit")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="rounds per shape (default 5)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="stop a program after this time (60)")
    parser.add_argument("--compare", metavar="OLD", help="also run this halfspace program")
    parser.add_argument("--json", metavar="FILE", help="write the results to FILE, after every shape")
    parser.add_argument("--from", dest="files", metavar="FILE", nargs="+", help="print the tables of result files; run nothing")
    parser.add_argument("--scaling", action="store_true", help="fit exponents of time on series of shapes")
    parser.add_argument("--solvers", action="store_true", help="compare --solver auto with every fixed solver")
    parser.add_argument("--folder", default="build/bench/shapes", help="where generated files are kept")
    parser.add_argument("--lock", metavar="FILE", help="hold this lock file while programs are timed")
    return parser.parse_args()


def chosen(o):
    return [s for s in grid.SHAPES if (s["quick"] or not o.quick) and (not o.only or re.search(o.only, s["name"]))]


def describe(shape):
    extra = "".join(f" {key}={shape[key]}" for key in ("C", "gamma", "k", "metric") if key in shape and shape["task"] != "knn"
                    or key in ("k", "metric") and key in shape)
    data = " ".join(f"{key}={value}" for key, value in shape["parameters"].items())
    return f"{shape['name']:38} {shape['task']:9}{extra}  {shape['generator']} {data}"


def main():
    o = options()
    if o.files:
        found = {}  # a shape that is in several files counts as in the last of them
        for name in o.files:
            with open(name) as file:
                found.update((r["name"], r) for r in json.load(file))
        records = list(found.values())
        print(report.head(any(r.get("old") for r in records)))
        print("\n".join(report.line(r) for r in records))
        print(report.summary(records))
        return
    shapes = chosen(o)
    if o.list:
        print("\n".join(describe(s) for s in shapes))
        return
    bench = measure.Bench(o.build, o.folder, o.runs, o.limit, o.compare, o.lock)
    if o.make:
        for shape in shapes:
            bench.data(shape)
        return
    for name in ("halfspace", "bench/elapsed", "bench/objective", "bench/kernel_objective", "bench/near"):
        if not os.path.exists(os.path.join(o.build, name)):
            sys.exit(f"shapes.sh: no {name} in {o.build}. Run: make all bench-programs BUILD={o.build}")
    if o.scaling:
        import scaling

        scaling.main(bench, o.only, o.json)
        return
    if o.solvers:
        import solvers

        solvers.main(bench, lambda s: not o.only or re.search(o.only, s["name"]))
        return
    if not shapes:
        sys.exit(f"shapes.sh: no shape matches {o.only}. --list prints them.")
    for shape in shapes:  # before anything is timed
        bench.data(shape)
    records = []
    print(report.head(o.compare), flush=True)
    for shape in shapes:
        records.append(measure.measure(bench, shape))
        print(report.line(records[-1]), flush=True)
        if o.json:
            with open(o.json, "w") as file:
                json.dump(records, file, indent=1)
    print(report.summary(records))


main()
