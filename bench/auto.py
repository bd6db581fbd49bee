#!/usr/bin/python3
"""How good, how fast is `halfspace auto`? Next to the best that a careful hand got, on public data sets.

    bench/auto.py FOLDER [--halfspace build/halfspace] [NAME ...]

FOLDER contains the data sets of the table below, each as FOLDER/SET/FILE (also FILE.zst). For each one: auto, then cv with
the options that auto printed, and cv with the hand's options, on the same five folds. Prints a line of the table in
docs/auto.md per data set, and at the end how many are within one standard error of the hand's score.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time

# name, file, score, the hand's learner and options
SETS = [
    ("wine", "wine/wine", "error", "svm --C 0.03 --scale standard"),
    ("breast_cancer", "breast_cancer/breast_cancer", "error", "logistic --C 0.5 --scale standard"),
    ("digits", "digits/digits", "error", "svm --kernel rbf --gamma 0.002 --C 10"),
    ("spambase", "spambase/spambase", "error", "svm --kernel rbf --gamma 1 --C 100 --scale max-abs"),
    ("sms_spam", "sms_spam/sms_spam.tfidf", "auc", "svm --kernel rbf --gamma 0.5 --C 10"),
    ("svmguide1", "svmguide1/svmguide1", "error", "svm --kernel rbf --gamma 0.5 --C 1 --scale standard"),
    ("mushrooms", "mushrooms/mushrooms", "error", "svm --C 1"),
    ("usps", "usps/usps", "error", "svm --kernel rbf --gamma 0.01 --C 30"),
    ("letter", "letter/letter.train", "error", "svm --kernel rbf --gamma 0.06 --C 30"),
    ("shuttle", "shuttle/shuttle.trn", "balanced-accuracy", "knn --k 1 --scale standard"),
    ("covtype_20k, two classes", "covtype_20k/covtype20k.binary", "error",
     "svm --kernel rbf --gamma 4 --C 100 --scale max-abs"),
    ("covtype_20k, seven", "covtype_20k/covtype20k.multi", "error",
     "svm --kernel rbf --gamma 2 --C 100 --scale max-abs"),
    ("a9a", "a9a/a9a", "auc", "logistic --C 1"),
    ("adult", "adult/adult.data", "auc", "logistic --C 10 --scale max-abs --header no --label 15 --missing mean --na ?"),
    ("w8a", "w8a/w8a", "auc", "logistic --C 1"),
]


def run(command):
    """The JSON of a command, seconds elapsed and of processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command + ["-q", "--json"], stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), time.time() - start, used


def show(score, name):
    return "%.2f%%" % (100 * score) if name == "error" else "%.4f" % score


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--halfspace", default="build/halfspace")
    options = parser.parse_intermixed_args()
    within = count = 0
    for name, path, score, hand in SETS:
        if options.names and name.split(",")[0] not in options.names and name not in options.names:
            continue
        path = os.path.join(options.folder, path)
        if not os.path.exists(path):
            path += ".zst"
        table = ["--header", "no", "--label", "15"] if "adult" in path else []
        found, elapsed, used = run([options.halfspace, "auto", path] + table)
        words = re.sub(r"^halfspace train | -o MODEL$", "", found["command"]).split()
        words.remove(path)
        cv = [run([options.halfspace, "cv"] + own + ["--score", score, path])[0]
              for own in (words, hand.split())]
        mine, best = cv[0]["score"], cv[1]["score"]
        spread = cv[1]["score_standard_error"]
        good = (mine - best if score == "error" else best - mine) <= spread + 1e-12
        within += good
        count += 1
        print("| %s | %s | `%s` | %s ± %s | %s ± %s | `%s` | %s ± %s | %.0f s, %.0f s | %s |" % (
            name, found["score_name"], " ".join(words), show(found["score"], score),
            show(found["standard_error"], score), show(mine, score), show(cv[0]["score_standard_error"], score), hand,
            show(best, score), show(cv[1]["score_standard_error"], score), elapsed, used, "yes" if good else "no"))
        sys.stdout.flush()
    print("within one standard error: %d of %d" % (within, count))


if __name__ == "__main__":
    main()
