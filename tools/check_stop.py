#!/usr/bin/env python3
"""How soon does every command end when it is told to? tools/check_stop.py [options] [CASE ...]

Runs every command and learner on large inputs, sends SIGINT or SIGTERM at a random moment, and
measures how long the command takes to end. Learners that have --max-seconds are also run with a
limit: the time of the whole command counts, less what it reports for reading the data. A command
that ignores the signal for a second must be found slow, or nothing else is tried. Prints a line per
run and the slowest answer.

A run is wrong when it takes more than 0.5 s to end, ends with another status than 128 + the
signal's number, or leaves a temporary file; a model that it says it kept must be readable. On a
machine that has other work to do, times say little: the processor time that the command still used
after the signal is printed as well, and --load judges by that instead.

With --ticks build/halfspace-ticks, every case is run once more with that program, which notes how long
each thread works without asking whether it must stop (tools/tick_trace.c), until its latest moment and,
if it has one, with a limit. More than 0.05 s is wrong; the longest times are printed with the functions.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 0.5  # seconds
GAP = 0.05  # seconds of work without asking whether to stop
# Functions that hand work to a library which cannot be divided: bzip2 sorts 900 kB at a time, CLP takes
# and frees all columns at once.
INDIVISIBLE = {"hsp__packer_write", "lp_soften_load", "hsp__clp_free"}
LATEST = 60  # seconds after which a command that does not end is killed

# name, arguments, moment (seconds after the start at which the signal may come: from, to)
CASES = [
    ("perceptron", "train perceptron --passes until-converged two -o out.hsp", (0.3, 3)),
    ("perceptron-ten", "train perceptron --passes until-converged --multiclass ovr ten -o out.hsp", (0.3, 3)),
    ("perceptron-kernel", "train perceptron --kernel rbf(0.01) two -o out.hsp", (0.3, 6)),
    ("winnow", "train winnow --passes until-converged wide -o out.hsp", (0.3, 2)),
    ("experts", "train experts --passes 50 wide -o out.hsp", (0.3, 2)),
    ("svm", "train svm --gap 1e-10 ten -o out.hsp", (0.3, 8)),
    ("svm-dense", "train svm --gap 1e-10 two -o out.hsp", (0.3, 8)),
    ("svm-dcd", "train svm --solver dcd --gap 1e-10 two -o out.hsp", (0.3, 5)),
    ("svm-pegasos", "train svm --solver pegasos --gap 1e-10 two -o out.hsp", (0.3, 3)),
    ("svm-hard", "train svm --hard two -o out.hsp", (0.3, 5)),
    ("svm-l1", "train svm --penalty l1 --loss squared --gap 1e-10 ten -o out.hsp", (0.3, 8)),
    ("svm-ovo", "train svm --multiclass ovo --gap 1e-10 ten -o out.hsp", (0.3, 5)),
    ("svm-crammer", "train svm --multiclass crammer-singer --gap 1e-10 ten -o out.hsp", (0.3, 6)),
    ("svm-kernel", "train svm --kernel rbf(0.02) ten -o out.hsp", (0.3, 10)),
    ("svm-kernel-two", "train svm --kernel rbf(0.02) two -o out.hsp", (0.3, 10)),
    ("svm-nystrom", "train svm --kernel rbf(0.02) --approx nystrom:500 ten -o out.hsp", (0.3, 8)),
    ("svm-fourier", "train svm --kernel rbf(0.02) --approx fourier:500 ten -o out.hsp", (0.3, 8)),
    ("svm-precomputed", "train svm --kernel precomputed --C 1e6 --gap 1e-10 gram.hsp -o out.hsp", (0.1, 3)),
    ("perceptron-votes", "train perceptron --kernel rbf(0.02) --approx nystrom:30 --average vote middle -o out.hsp",
     (0.3, 3)),
    ("svm-dense-ten", "train svm --gap 1e-10 --storage dense ten -o out.hsp", (0.5, 8)),
    ("svm-crammer-dense", "train svm --multiclass crammer-singer --gap 1e-10 --storage dense ten -o out.hsp",
     (0.5, 8)),
    ("svm-long", "train svm --gap 1e-10 long -o out.hsp", (0.3, 5)),
    ("svm-dcd-long", "train svm --solver dcd --gap 1e-10 long -o out.hsp", (0.3, 5)),
    ("svm-hard-long", "train svm --hard long -o out.hsp", (0.3, 5)),
    ("logistic-long", "train logistic --gap 1e-10 long -o out.hsp", (0.3, 5)),
    ("lp-long", "train lp --soft long -o out.hsp", (0.3, 5)),
    ("perceptron-long", "train perceptron --passes until-converged long -o out.hsp", (0.3, 3)),
    ("knn-long", "train knn --k auto long -o out.hsp", (0.3, 8)),
    ("svm-many-classes", "train svm many -o out.hsp", (0.3, 6)),
    ("svm-calibrate", "train svm --calibrate platt ten -o out.hsp", (0.3, 10)),
    ("svm-calibrate-isotonic", "train svm --calibrate isotonic ten -o out.hsp", (0.3, 10)),
    ("logistic", "train logistic --gap 1e-10 ten -o out.hsp", (0.3, 8)),
    ("logistic-l1", "train logistic --penalty l1 --gap 1e-10 two -o out.hsp", (0.3, 6)),
    ("lp", "train lp two -o out.hsp", (0.3, 8)),
    ("lp-soft", "train lp --soft two -o out.hsp", (0.3, 20)),
    ("knn", "train knn --k auto two -o out.hsp", (0.3, 8)),
    ("knn-ten", "train knn --k auto ten -o out.hsp", (0.3, 8)),
    ("stream", "train perceptron --stream ten.svm -o out.hsp", (0.1, 1)),
    ("cv", "cv svm ten", (0.3, 8)),
    ("cv-kernel", "cv svm --kernel rbf(0.02) --C 100 middle", (0.3, 4)),
    ("tune", "tune svm --tune C=0.01,0.1,1 ten -o out.hsp", (0.3, 8)),
    ("predict", "predict near.hsp ten.svm -o out.txt", (0.3, 4)),
    ("predict-kernel", "predict kernel.hsp ten.svm -o out.txt", (0.3, 4)),
    ("neighbors", "neighbors near.hsp ten.svm -o out.txt", (0.3, 4)),
    ("eval", "eval near.hsp ten", (0.3, 4)),
    ("eval-long", "eval linear.hsp long", (0.1, 2)),
    ("audit", "audit perceptron.hsp ten", (0.1, 3)),
    ("bound", "bound perceptron.hsp --train ten.svm", (0.05, 0.3)),
    ("certify", "certify middle.svm -o out.cert", (0.1, 2)),
    ("plot", "plot perceptron.hsp ten.svm --x 1 --y 2", (0.05, 0.3)),
    ("inspect", "inspect ten.svm", (0.05, 0.5)),
    ("inspect-long", "inspect long", (0.1, 2)),
    ("convert", "convert ten.svm out.csv", (0.1, 2)),
    ("convert-xz", "convert ten out.svm.xz", (0.3, 8)),
    ("convert-zst", "convert ten out.svm.zst", (0.1, 2)),
    ("convert-bz2", "convert ten out.svm.bz2", (0.3, 4)),
    ("convert-gz", "convert ten out.svm.gz", (0.3, 4)),
    ("convert-cache", "convert ten.svm out.hsp", (0.1, 1)),
    ("split", "split ten.svm out.a.svm out.b.svm", (0.05, 0.3)),
    ("split-long", "split long out.a.hsp out.b.hsp", (0.05, 0.5)),
    ("scale", "scale two out.csv", (0.1, 4)),
    ("gram", "kernel gram rbf(0.02) small -o out.txt", (0.1, 2)),
    ("kernel-check", "kernel check rbf(0.02) small", (0.3, 3)),
    ("make", "make halfspace --rows 1e8 -o out.svm", (0.1, 2)),
    ("import", "model import big.model -o out.hsp", (0.02, 0.2)),
    ("export", "model export large.hsp --format libsvm -o out.model", (0.05, 0.3)),
    ("export-liblinear", "model export broad.hsp --format liblinear -o out.model", (0.05, 0.5)),
]
LIMITED = ["perceptron", "winnow", "experts", "svm", "svm-dense", "svm-dcd", "svm-pegasos", "svm-hard",
           "svm-l1", "svm-ovo", "svm-crammer", "svm-kernel", "svm-nystrom", "svm-many-classes",
           "svm-fourier", "svm-precomputed", "perceptron-votes", "svm-dense-ten", "svm-crammer-dense", "svm-long",
           "svm-dcd-long", "svm-hard-long", "logistic-long", "lp-long", "perceptron-long",
           "svm-calibrate", "logistic", "logistic-l1", "lp", "lp-soft", "perceptron-kernel"]
# commands that end at once whatever they do, or have no long work of their own
SHORT = {"verify", "learners", "help"}


def call(halfspace, folder, *arguments):
    subprocess.run([halfspace, *arguments], cwd=folder, check=True, capture_output=True)


def make_data(halfspace, folder, rows, columns):
    """Two classes, dense; ten classes, sparse; ones; many classes; few rows; many; models of them."""
    def pipe(source, change, name):
        subprocess.run(f"'{halfspace}' make {source} -q -o - | awk '{change}' >{name}", shell=True,
                       cwd=folder, check=True)
    call(halfspace, folder, "make", "halfspace", "--rows", str(rows), "--features", str(columns),
         "--noise", "0.1", "-q", "-o", "two.hsp")
    pipe(f"text --rows {rows} --features {columns} --nonzeros 150", '{ sub(/^[^ ]+/, NR % 10); print }',
         "ten.svm")
    call(halfspace, folder, "convert", "-q", "ten.svm", "ten.hsp")
    with open(os.path.join(folder, "wide.svm"), "w", encoding="ascii") as file: # no separator: labels by chance
        generator = random.Random(2)
        for i in range(rows):
            ones = sorted(generator.sample(range(1, 2000), 60))
            file.write(f"{generator.randrange(2)} " + " ".join(f"{j}:1" for j in ones) + "\n")
    call(halfspace, folder, "convert", "-q", "wide.svm", "wide.hsp")
    generator = random.Random(1)
    with open(os.path.join(folder, "many.svm"), "w", encoding="ascii") as file:
        for i in range(rows):
            file.write(f"c{i % (rows // 3)} 1:{generator.gauss(0, 1):.4f} 2:{i % (rows // 3)}\n")
    call(halfspace, folder, "convert", "-q", "many.svm", "many.hsp")
    call(halfspace, folder, "make", "halfspace", "--rows", str(rows // 20), "--features", "20", "--noise",
         "0.1", "-q", "-o", "small.svm")
    call(halfspace, folder, "convert", "-q", "small.svm", "small.hsp")
    call(halfspace, folder, "make", "halfspace", "--rows", str(rows // 4), "--features", "100", "--noise",
         "0.1", "-q", "-o", "middle.svm")
    call(halfspace, folder, "convert", "-q", "middle.svm", "middle.hsp")
    call(halfspace, folder, "make", "halfspace", "--rows", str(50 * rows), "--features", "4", "--noise", "0.1",
         "-q", "-o", "long.hsp")
    call(halfspace, folder, "train", "perceptron", "-q", "--passes", "1", "long.hsp", "-o", "linear.hsp")
    call(halfspace, folder, "make", "text", "--rows", str(rows), "--features", "2000000", "--nonzeros", "100", "-q",
         "-o", "broad.svm")
    call(halfspace, folder, "train", "perceptron", "-q", "--passes", "1", "broad.svm", "-o", "broad.hsp")
    call(halfspace, folder, "kernel", "gram", "rbf(0.02)", "small.hsp", "-q", "-o", "gram.hsp")
    call(halfspace, folder, "train", "knn", "-q", "ten.hsp", "-o", "near.hsp")
    call(halfspace, folder, "train", "perceptron", "-q", "--passes", "1", "ten.hsp", "-o", "perceptron.hsp")
    call(halfspace, folder, "train", "perceptron", "-q", "--passes", "1", "--kernel", "rbf(0.02)",
         "small.hsp", "-o", "kernel.hsp")
    call(halfspace, folder, "train", "perceptron", "-q", "--passes", "1", "--kernel", "rbf(5)", "middle.hsp",
         "-o", "large.hsp")
    call(halfspace, folder, "model", "export", "-q", "large.hsp", "--format", "libsvm", "-o", "big.model")


def words(text):
    """The arguments of a case, names of caches spelt out."""
    caches = {"two", "ten", "wide", "many", "small", "middle", "long"}
    return [word + ".hsp" if word in caches else word for word in text.split()]


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.startswith("out") or name.startswith(".")]


def clean(folder):
    for name in leftovers(folder):
        os.remove(os.path.join(folder, name))


def used(pid):
    """Processor seconds of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process, sent, cpu):
    """Wait: seconds and processor seconds from the signal to the end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    while process.poll() is None:
        if time.monotonic() - sent > LATEST:
            process.kill()
            process.wait()
            break
        time.sleep(0.002)
    took = time.monotonic() - sent
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, max(0.0, total - cpu)


def interrupt(halfspace, folder, arguments, moment, number):
    """Seconds, processor seconds, complaint (or None), said. It may have ended before the signal."""
    clean(folder)
    with open(os.path.join(folder, "said"), "w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen([halfspace, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        try:
            process.wait(moment)
            said.seek(0)
            wrong = f"status {process.returncode}" if process.returncode not in (0, 1) else "ended before"
            return 0, 0, wrong, said.read().strip().split("\n")[-1]
        except subprocess.TimeoutExpired:
            pass
        cpu = used(process.pid)
        sent = time.monotonic()
        process.send_signal(number)
        took, work = end(process, sent, cpu)
        said.seek(0)
        text = said.read().strip().split("\n")[-1]
    wrong = None
    left = [name for name in leftovers(folder) if name.startswith(".") or ".tmp" in name]
    if process.returncode not in (128 + number, 0, 1):
        wrong = f"status {process.returncode}"
    elif left:
        wrong = f"left {', '.join(left)}"
    elif "the model so far is in" in text:
        shown = subprocess.run([halfspace, "model", "show", "out.hsp"], cwd=folder, capture_output=True,
                               check=False)
        if shown.returncode:
            wrong = "the model that it kept cannot be read"
    return took, work, wrong, text


def check_itself(folder):
    """A command that ignores the signal for a second, and whether it is found slow."""
    slow = os.path.join(folder, "slow")
    with open(slow, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ntrap 'sleep 1; exit 130' INT\nwhile :; do sleep 0.05; done\n")
    os.chmod(slow, 0o755)
    took = interrupt(slow, folder, [], 0.5, signal.SIGINT)[0]
    print(f"{'(a slow command)':24} SIGINT at  0.50 s: {took:6.3f} s", flush=True)
    return took > LIMIT


def limited(halfspace, folder, arguments, seconds):
    """Seconds of the whole command beyond the limit, reading not counted; complaint; what it said."""
    clean(folder)
    began = time.monotonic()
    done = subprocess.run([halfspace, *arguments, "--max-seconds", str(seconds), "--json"], cwd=folder,
                          capture_output=True, check=False, timeout=LATEST + seconds)
    took = time.monotonic() - began
    if done.returncode not in (0, 1, 4):
        return 0, f"status {done.returncode}", done.stderr.decode(errors="replace").strip()[-100:]
    if done.returncode == 4:
        return took - seconds, None, done.stderr.decode(errors="replace").strip()
    report = json.loads(done.stdout)
    return took - report.get("load_seconds", 0) - seconds, None, str(report.get("stop"))


def places(program, stack):
    """The functions of the program on a stack, innermost first."""
    lines = subprocess.run(["addr2line", "-s", "-f", "-e", program, *stack], capture_output=True, text=True,
                           check=True).stdout.split("\n")
    return [f"{lines[i]} ({lines[i + 1].split(' ')[0]})" for i in range(0, len(lines) - 1, 2)
            if not lines[i].startswith(("?", "trace_", "__wrap_"))]


def gaps(program, path, load):
    """Seconds without a tick and where, the longest of each place first."""
    longest = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            numbers, middle, last = line.split("|")
            thread, clock, own, every = numbers.split()
            threads = os.cpu_count() or 1
            seconds = max(float(own), float(every) / threads) if load and thread == "first" else float(clock)
            stack = (places(program, middle.split()) if middle.split() else
                     ["before"] + places(program, last.split()))
            where = f"{thread}: " + " < ".join(stack[:4])
            key = (thread, stack[0].split(" ")[0] if stack else "")
            longest[key] = max(longest.get(key, (0, "")), (seconds, where))
    return sorted(longest.values(), reverse=True)


def check_ticks(program, folder):
    """Is work that asks nobody, planted in the program, found and named?"""
    path = os.path.join(folder, "planted")
    subprocess.run([program, "--version"], env={**os.environ, "HSP_TICKS": path, "HSP_TICKS_PLANT": "1"},
                   stdout=subprocess.DEVNULL, check=True)
    found = gaps(program, path, False)
    os.remove(path)
    print("(a planted gap)", *(f"{seconds:.3f} s {where}" for seconds, where in found), flush=True)
    return any(seconds > 0.09 and "planted_gap" in where for seconds, where in found)


def watch_ticks(program, folder, name, arguments, options, last):
    """Complaints about a case: each place that works too long without asking whether to stop."""
    path = os.path.join(folder, "ticks")
    bad = []
    os.environ["HSP_TICKS"] = path
    runs = [("", lambda: interrupt(program, folder, arguments, last, signal.SIGTERM))]
    if options.limits and name in LIMITED:
        runs.append((" --max-seconds", lambda: limited(program, folder, arguments, options.limits)))
    for what, run in runs:
        if os.path.exists(path):
            os.remove(path)
        wrong = run()[-2]
        if wrong and wrong != "ended before":
            bad.append(f"{name}{what}: {wrong}")
        found = [gap for gap in gaps(program, path, options.load) if gap[0] > GAP / 2]
        for seconds, where in found:
            whole = where.split(" ")[1] in INDIVISIBLE
            wrong = "WRONG: " if seconds > (LIMIT if whole else GAP) else ""
            print(f"{name + what:24} {seconds:6.3f} s without asking  {wrong}{where}", flush=True)
            if wrong:
                bad.append(f"{name}{what}: {seconds:.3f} s without asking in {where}")
        if not found:
            print(f"{name + what:24} asks at least every {GAP / 2:g} s", flush=True)
    del os.environ["HSP_TICKS"]
    return bad


def uncovered(halfspace):
    """Commands and learners that no case has: asked of the program, not listed by hand."""
    overview = subprocess.run([halfspace, "--help"], capture_output=True, text=True, check=True).stdout
    commands = set(re.findall(r"^  ([a-z]+) ", overview, re.M)) - SHORT
    learners = subprocess.run([halfspace, "train"], capture_output=True, text=True, check=True).stdout
    learners = set(re.findall(r"^  ([a-z]+) ", learners.split("Learners:")[-1], re.M))
    cases = [text.split() for _, text, _ in CASES]
    return (commands - {case[0] for case in cases}) | (
        learners - {case[1] for case in cases if case[0] == "train"})


def main():
    parser = argparse.ArgumentParser(description="How soon does every command end when told to?")
    parser.add_argument("--halfspace", default=os.environ.get("HALFSPACE", "build/halfspace"))
    parser.add_argument("--rounds", type=int, default=2, help="signals per case")
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--columns", type=int, default=784)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", help="keep the data here, and use it if it is there")
    parser.add_argument("--load", action="store_true", help="judge processor time, not time")
    parser.add_argument("--limits", type=float, default=2, help="--max-seconds to try; 0: none")
    parser.add_argument("--ticks", help="the program that notes gaps: build/halfspace-ticks")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    halfspace = os.path.abspath(options.halfspace)
    folder = os.path.abspath(options.folder) if options.folder else tempfile.mkdtemp(prefix="check-stop.")
    os.makedirs(folder, exist_ok=True)
    missing = uncovered(halfspace)
    bad = [f"no case covers {', '.join(sorted(missing))}"] if missing else []
    try:
        if not os.path.exists(os.path.join(folder, "big.model")):
            print(f"making data in {folder}", flush=True)
            make_data(halfspace, folder, options.rows, options.columns)
        if not check_itself(folder):
            print("FAILED: a command that ignores the signal for a second was not found slow")
            return 1
        if options.ticks and not check_ticks(os.path.abspath(options.ticks), folder):
            print("FAILED: work that asks nobody was not found")
            return 1
        print(f"seed {options.seed}", flush=True)
        chance = random.Random(options.seed)
        slowest = (0, "")
        for name, text, moments in CASES:
            if options.cases and name not in options.cases:
                continue
            for _ in range(options.rounds):
                number = chance.choice([signal.SIGINT, signal.SIGTERM])
                moment = chance.uniform(*moments)
                answer = interrupt(halfspace, folder, words(text), moment, number)
                took, work, wrong, said = answer
                if wrong == "ended before": # too quick to be interrupted: nothing was learnt of it
                    print(f"{name:24} ended before {moment:.2f} s", flush=True)
                    continue
                judged = work if options.load else took
                if not wrong and judged > LIMIT:
                    wrong = "too late"
                slowest = max(slowest, (judged, name))
                print(f"{name:24} {number.name} at {moment:5.2f} s: {took:6.3f} s, {work:5.2f} s of work  "
                      f"{'WRONG: ' + wrong + '  ' if wrong else ''}{said}", flush=True)
                if wrong:
                    bad.append(f"{name}: {wrong}")
            if options.limits and name in LIMITED:
                late, wrong, said = limited(halfspace, folder, words(text), options.limits)
                if not wrong and late > LIMIT and not options.load:
                    wrong = f"{late:.2f} s beyond the limit"
                slowest = max(slowest, (late, name + " --max-seconds"))
                print(f"{name:24} --max-seconds {options.limits:g}: {late:6.3f} s beyond  "
                      f"{'WRONG: ' + wrong + '  ' if wrong else ''}{said}", flush=True)
                if wrong:
                    bad.append(f"{name}: {wrong}")
            if options.ticks:
                bad += watch_ticks(os.path.abspath(options.ticks), folder, name, words(text), options, moments[1])
        print(f"slowest answer: {slowest[0]:.3f} s ({slowest[1]})")
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    for line in bad:
        print(f"FAILED {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
