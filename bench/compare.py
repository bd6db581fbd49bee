#!/usr/bin/env python3
"""Two builds side by side: whole commands, by turns, medians.

    bench/compare.py OLD-BUILD NEW-BUILD [--data DIR] [--runs N] [--only TEXT]

OLD-BUILD and NEW-BUILD hold a `halfspace` each. DIR holds one folder per data set (w8a/w8a, a9a/a9a, ...), uncompressed;
a set that is not there is left out. Each round runs every command once with each program, the first one by turns. Printed per command: the
median seconds of both, the ratio new / old, and the ratio of the fastest runs.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

COMMANDS = [
    ("start", "learners"),
    ("read sparse text", "inspect {20news/20news.tfidf}"),
    ("read table", "inspect --header no --missing indicator {adult/adult.data}"),
    ("perceptron", "train perceptron --max-passes 10 {w8a/w8a} -o {out}"),
    ("winnow", "train winnow --max-passes 10 {mushrooms/mushrooms} -o {out}"),
    ("svm, dual coordinate descent", "train svm --solver dcd --C 1 {a9a/a9a} -o {out}"),
    ("svm, Newton, squared hinge", "train svm --loss squared --C 1 {a9a/a9a} -o {out}"),
    ("svm, text", "train svm --C 1 {20news/20news.tfidf} -o {out}"),
    ("svm, ten classes", "train svm --C 1 {usps/usps} -o {out}"),
    ("logistic", "train logistic --C 1 {a9a/a9a} -o {out}"),
    ("svm, rbf", "train svm --kernel rbf(0.05) --C 1 {a9a/a9a} -o {out}"),
    ("svm, rbf, one-vs-one", "train svm --kernel rbf(0.01) --C 10 {usps/usps} -o {out}"),
    ("knn, cross-validated", "cv knn --k 5 {usps/usps}"),
    ("svm, cross-validated", "cv svm --C 1 {w8a/w8a}"),
    ("certify", "certify {mushrooms/mushrooms} -o {out}"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default="build/bench/data")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    programs = [os.path.join(options.old, "halfspace"), os.path.join(options.new, "halfspace")]
    with tempfile.TemporaryDirectory() as scratch:
        commands = []
        for name, line in COMMANDS:
            if options.only not in name:
                continue
            words, missing = [], None
            for word in line.split():
                if word == "{out}":
                    word = os.path.join(scratch, "out")
                elif word.startswith("{"):
                    word = os.path.join(options.data, word[1:-1])
                    missing = missing or (None if os.path.exists(word) else word)
                words.append(word)
            if missing:
                print(f"{name}: no {missing}, left out", file=sys.stderr)
            else:
                commands.append((name, words))
        seconds = {name: ([], []) for name, _ in commands}
        for round_number in range(options.runs):
            for name, words in commands:
                for which in (0, 1) if round_number % 2 == 0 else (1, 0):
                    start = time.monotonic()
                    run = subprocess.run([programs[which], *words], capture_output=True, check=False)
                    seconds[name][which].append(time.monotonic() - start)
                    if run.returncode > 1:
                        sys.exit(f"{name}: {programs[which]} failed: {run.stderr.decode()}")
    print(f"{'':30} {'old':>9} {'new':>9} {'new/old':>8} {'fastest':>8}")
    for name, (old, new) in seconds.items():
        print(f"{name:30} {statistics.median(old):8.4f}s {statistics.median(new):8.4f}s"
              f" {statistics.median(new) / statistics.median(old):8.3f} {min(new) / min(old):8.3f}")


if __name__ == "__main__":
    main()
