#!/usr/bin/env python3
"""Every exact statement of the command, against brute force in fractions.

    check.py HALFSPACE [TABLES [SEED]]

Random tables of up to three columns and nine rows, of numbers that floating point does not hold:
whole numbers beyond 2^53, long decimals, numbers that differ in their last digit, dates as numbers,
numbers below the range of doubles. `inspect`, `train svm --hard`, `train lp` and `certify` say
which rows and columns are equal, which columns are constant, whether a hyperplane separates the
classes, and whether a model does. What they say must be so for the decimals of the file.

The truth is computed here with the standard library alone, and proves itself: "separable" by a
separator, "not separable" by multipliers, both tried on every row in fractions.

Prints one line a test, "ok NAME" or "FAILED NAME", and exits with 1 if any failed."""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

HALFSPACE = sys.argv[1]
TABLES = int(sys.argv[2]) if len(sys.argv) > 2 else 300
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1


# ---- The truth ----


def simplex(columns, target):
    """Some a >= 0 with sum a_k columns[k] = target, or some z with <z, column> <= 0 for all columns
    and <z, target> > 0: (a, None) or (None, z). Phase one with Bland's rule, in fractions."""
    m, n = len(target), len(columns)
    sign = [1 if t >= 0 else -1 for t in target]
    rows = [[sign[i] * columns[k][i] for k in range(n)]
            + [Fraction(int(i == j)) for j in range(m)] + [sign[i] * target[i]] for i in range(m)]
    basis = [n + i for i in range(m)]
    while True:
        # reduced costs of the sum of artificial variables
        price = [Fraction(int(j >= n)) - sum(rows[i][j] for i in range(m) if basis[i] >= n)
                 for j in range(n + m)]
        enter = next((j for j in range(n + m) if price[j] < 0 and j not in basis), None)
        if enter is None:
            break
        leave = min((i for i in range(m) if rows[i][enter] > 0),
                    key=lambda i: (rows[i][-1] / rows[i][enter], basis[i]))
        pivot = rows[leave][enter]
        rows[leave] = [x / pivot for x in rows[leave]]
        for i in range(m):
            if i != leave and rows[i][enter]:
                factor = rows[i][enter]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[leave])]
        basis[leave] = enter
    if all(rows[i][-1] == 0 for i in range(m) if basis[i] >= n):
        a = [Fraction(0)] * n
        for i in range(m):
            if basis[i] < n:
                a[basis[i]] = rows[i][-1]
        return a, None
    return None, [sign[i] * (1 - price[n + i]) for i in range(m)]


def separable(x, y, offset):
    """Is there a separator? The answer is tried on every row before it is given."""
    points = [[yi * v for v in xi] + ([Fraction(yi)] if offset else []) for xi, yi in zip(x, y)]
    size = len(points[0])
    a, z = simplex([p + [Fraction(1)] for p in points], [Fraction(0)] * size + [Fraction(1)])
    if a is not None:
        assert all(v >= 0 for v in a) and sum(a) == 1
        assert all(sum(v * p[j] for v, p in zip(a, points)) == 0 for j in range(size))
        return False
    assert all(sum(-z[j] * p[j] for j in range(size)) > 0 for p in points)
    return True


def separates(x, y, w, b):
    return all(yi * (sum(wj * v for wj, v in zip(w, xi)) + b) > 0 for xi, yi in zip(x, y))


# ---- Tables ----


def spelled(value, rng):
    """A decimal of this value (whole digits, exponent of ten), one of many ways to write it."""
    digits, exponent = value
    sign, digits = ("-", -digits) if digits < 0 else ("", digits)
    text = str(digits)
    way = rng.randrange(4)
    if way == 0 or abs(exponent) > 50:
        return "%s%se%d" % (sign, text, exponent) if exponent else sign + text
    if way == 1 and exponent == 0:
        return sign + text + ".0"
    if exponent >= 0:
        return sign + text + "0" * exponent
    text = text.rjust(1 - exponent, "0")
    text = text[:exponent] + "." + text[exponent:]
    return sign + text + "0" * (2 if way == 2 else 0)


def column(rng):
    """How the numbers of a column are drawn: a function that gives (digits, exponent)."""
    kind = rng.randrange(12)
    few = rng.choice([2, 4, 9])
    if kind == 0:  # seconds since 1970
        start = rng.randrange(1600000000, 1800000000)
        return lambda: (start + rng.randrange(few), 0)
    if kind == 1:  # whole numbers beyond 2^53
        start = rng.randrange(10**17, 10**19)
        return lambda: (start + rng.randrange(few), 0)
    if kind == 2:  # long decimals that differ at their end
        start = rng.randrange(10**22, 10**25)
        places = rng.randrange(1, 30)
        return lambda: (start + rng.randrange(few), -places)
    if kind == 3:  # 0.1, nearly
        return lambda: (10**rng.choice([17, 18]) // 10 * 10 + rng.randrange(few), -18)
    if kind == 4:  # dates as numbers
        return lambda: (20230000 + 100 * rng.randrange(1, 13) + rng.randrange(1, 4), 0)
    if kind == 5:  # below the range of doubles
        exponent = rng.choice([-310, -330, -400])
        return lambda: (rng.randrange(-few, few), exponent)
    if kind == 6:  # huge
        return lambda: (rng.randrange(-few, few), 300)
    if kind == 7:  # seven digits, which a float does not hold
        start = rng.randrange(10**6, 10**8)
        return lambda: (start + rng.randrange(few), -rng.randrange(2, 4))
    if kind >= 10:  # 15 to 45 digits, small ones behind zeros: 0.1000...01, 0.00123...4
        places = rng.randrange(15, 46)
        start = rng.choice([10**(places - 1), rng.randrange(10**(places - 1), 10**places)])
        zeros = rng.randrange(0, 4) if kind == 10 else -rng.randrange(0, places)
        return lambda: (start + rng.randrange(few), -places - zeros)
    if kind == 8:  # constant, or nearly
        start = rng.choice([0, 1, 10**16, 10**17 + 1])
        odd = rng.choice([0, 0, 1])
        return lambda: (start + (odd if rng.randrange(6) == 0 else 0), -rng.choice([0, 3]))
    return lambda: (rng.randrange(-3, 4), 0)


def draw(rng):
    """Rows of texts, and labels a and b."""
    d, n = rng.randrange(1, 4), rng.randrange(2, 10)
    draws = [column(rng) for _ in range(d)]
    rows = [[draw_one() for draw_one in draws] for _ in range(n)]
    if d > 1 and rng.randrange(4) == 0:  # two columns alike, but for one digit perhaps
        odd = rng.randrange(-1, n)
        for i, row in enumerate(rows):
            row[1] = (row[0][0] * 1000 + (i == odd), row[0][1] - 3)
    for _ in range(rng.randrange(3)):  # copies
        rows.append(list(rng.choice(rows)))
    value = [[Fraction(m) * Fraction(10)**e for m, e in row] for row in rows]
    how = rng.randrange(4)
    if how == 0:
        labels = [rng.choice("ab") for _ in rows]
    else:  # by a hyperplane through, or beside, one of the rows
        w = [Fraction(rng.randrange(-3, 4)) / max([abs(r[j]) for r in value if r[j]] or [1])
             for j in range(d)]
        score = [sum(a * b for a, b in zip(w, row)) for row in value]
        cut = rng.choice(score)
        labels = ["a" if s < cut or (s == cut and how == 1) else "b" for s in score]
        if how == 3:
            flip = rng.randrange(len(labels))
            labels[flip] = "a" if labels[flip] == "b" else "b"
    if len(set(labels)) == 1:
        labels[0] = "a" if labels[0] == "b" else "b"
    return [[spelled(v, rng) for v in row] for row in rows], labels


def write(path, rows, labels):
    with open(path, "w", encoding="ascii") as out:
        if path.endswith(".csv"):
            out.write(",".join("c%d" % j for j in range(len(rows[0]))) + ",label\n")
            for row, label in zip(rows, labels):
                out.write(",".join(row) + "," + label + "\n")
        else:
            for row, label in zip(rows, labels):
                out.write(label + "".join(" %d:%s" % (j + 1, v) for j, v in enumerate(row)) + "\n")


# ---- What the command says ----


def run(arguments, stdin=None):
    done = subprocess.run([HALFSPACE] + arguments, stdin=stdin, capture_output=True, check=False)
    text = done.stdout.decode()
    said = json.loads(text) if text.startswith("{") else {"error": {}}
    # an error's sentence is read where people read it
    return done.returncode, None if isinstance(said.get("error"), dict) else said, done.stderr.decode()


class Disagreement(Exception):
    pass


def expect(condition, *about):
    if not condition:
        raise Disagreement(" ".join(str(a) for a in about))


def check_inspect(path, x, labels):
    n, d = len(x), len(x[0])
    columns = [[row[j] for row in x] for j in range(d)]
    first = [next(k for k in range(j + 1) if columns[k] == columns[j]) for j in range(d)]
    constant = [len(set(c)) == 1 for c in columns]
    truth = {
        "nonzeros": sum(v != 0 for row in x for v in row),
        "empty_rows": sum(not any(row) for row in x),
        "duplicate_rows": sum(x[i] in x[:i] for i in range(n)),
        "contradictory_rows": sum(any(x[k] == x[i] and labels[k] != labels[i] for k in range(n))
                                  for i in range(n)),
        "empty_columns": sum(not any(c) for c in columns),
        "constant_columns": sum(k and any(c) for k, c in zip(constant, columns)),
        "duplicate_columns": sum(f < j and not constant[j] for j, f in enumerate(first)),
    }
    exact = 0
    for arguments in ([path], ["--precision", "single", path], ["--precision", "double", "-"]):
        with open(path, "rb") as source:
            status, said, why = run(["inspect", "-q", "--json"] + arguments, stdin=source)
        if "single" in arguments and "e308)" in f"{said} {why}":
            continue  # numbers beyond the range of floats
        expect(status == 0, "inspect", arguments, status, why)
        expect(said["exact"] or arguments[-1] == "-", "a file was not confirmed")
        if not said["exact"]:
            continue
        exact += 1
        for key, value in truth.items():
            expect(said[key] == value, "inspect", arguments, key, said[key], "is", value)
        for j, column_said in enumerate(said["columns"]):
            expect(column_said["constant"] == constant[j], "inspect: column", j, "constant")
            of = first[j] + 1 if first[j] < j else None
            expect(column_said["duplicate_of"] == of, "inspect: column", j, "is a duplicate of", of)
    return exact


def weights_of(path):
    """w and b of a linear model, exactly."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    numbers = {}
    for name in ("weights", "offsets"):
        start, end = header[name]["data_offsets"]
        assert header[name]["dtype"] == "F64"
        numbers[name] = [Fraction(v) for v in struct.unpack("<%dd" % ((end - start) // 8),
                                                            data[8 + size + start:8 + size + end])]
    return numbers["weights"], numbers["offsets"][0]


def check_train(path, folder, learner, extra, x, y, truth):
    model = os.path.join(folder, "model.hsp")
    if os.path.exists(model):
        os.unlink(model)
    status, said, why = run(["train"] + learner + extra + ["-q", "--json", path, "-o", model])
    about = " ".join(learner + extra)
    expect(status in (0, 1, 3), about, "status", status, why)
    if status == 3 and "single" in extra and "e308)" in why:
        return "refused"  # numbers beyond the range of floats
    if status == 3 and ("out of range" in why or "weights overflow" in why):
        return "refused"  # weights beyond the range of doubles
    if said is None:  # an error: the truth is in its sentence
        expect(status == 3 and "the rows are separable" in why, about, status, why)
        expect(truth, about, "says separable:", why)
        return "separable, no model"
    found = said["confirmation"]
    expect(found["numbers"] != "stored", about, "the file was not read again")
    expect((status == 1) == (found["answer"] == "not separable"), about, status, found)
    expect(os.path.exists(model) == (said["model"] is not None), about, "model")
    if found["answer"] == "not separable":
        expect(not truth, about, "says not separable")
        expect(said["model"] is None and said["stop"] == "inseparable", about, said["stop"])
        return "not separable"
    if found["answer"] == "unknown":
        expect(found["why"], about, "unknown, and does not say why")
        return "unknown"
    expect(truth, about, "says", found["answer"])
    w, b = weights_of(model)
    if "--scale" not in extra:
        expect(separates(x, y, w, b) == (found["answer"] == "separates"), about, "the model", w, b)
    if found["answer"] == "separable" and "--scale" not in extra:
        wrong = [i + 1 for i in range(len(x)) if not separates(x[i:i + 1], y[i:i + 1], w, b)]
        expect(wrong and wrong[0] == found["row"] and len(wrong) == found["wrong_rows"], about,
               "wrong rows", wrong)
    return found["answer"]


def check_certify(path, extra, truth):
    status, said, why = run(["certify", "-q", "--json"] + extra + [path])
    expect(status in (0, 1), "certify", extra, status, why)
    text = said["established"] or ""
    if status == 1:
        return "certify: no claim"
    expect("verified" in text, "certify", extra, text)
    says_no, says_yes = ": not separable" in text, ": separable" in text
    expect(says_no != says_yes, "certify", extra, text)
    if says_no and "margin above" in text.replace("\n", " "):
        return "certify: no margin above"  # a weaker statement, true of both
    expect(says_yes == truth, "certify", extra, text)
    return "certify: made"


def check_mistakes(path, folder, truth):
    """A run's claim is made or dropped with a reason; the others are made either way."""
    model = os.path.join(folder, "perceptron.hsp")
    status, _, why = run(["train", "perceptron", "-q", "--json", path, "-o", model])
    if status == 3:
        return "refused"
    expect(status == 0, "train perceptron", status, why)
    return check_certify(path, ["--model", model], truth)


def check_classes(path, folder, learner, way, x, labels):
    """Three classes: what is said of one of them against the rest, or of a pair."""
    model = os.path.join(folder, "model.hsp")
    names = sorted(set(labels))
    if way == "ovr":
        problems = {(c, None): [1 if l == c else -1 for l in labels] for c in names}
    else:
        problems = {(a, b): [{a: -1, b: 1}.get(l, 0) for l in labels]
                    for a in names for b in names if a != b}
    truth = {name: separable([r for r, s in zip(x, y) if s], [s for s in y if s], True)
             for name, y in problems.items()}
    status, said, why = run(["train"] + learner + ["--multiclass", way, "-q", "--json", path, "-o",
                                                   model])
    about = " ".join(learner + ["--multiclass", way])
    if said is None:
        expect(status == 3 and ("separable" in why or "overflow" in why), about, status, why)
        for (a, b), found in truth.items():
            named = "'%s' and the rest" % a if b is None else "'%s' and '%s'" % (a, b)
            expect(named not in why or found, about, "says separable:", why)
        return "refused" if "overflow" in why else "classes: separable, no model"
    found = said["confirmation"]
    expect((status == 1) == (found["answer"] == "not separable"), about, status, found)
    if found["answer"] == "separates":
        expect(all(truth.values()), about, "says separates")
    if found["answer"] != "not separable":
        return "classes: " + found["answer"]
    name = (said["evidence"]["class"], said["evidence"]["against"])
    expect(name in truth, about, "names", name)
    expect(not truth[name], about, "says not separable:", name)
    sides = {problems[name][i - 1] for i in said["evidence"]["rows"]}
    expect(sides == {-1, 1}, about, "rows of", name, sides)
    return "classes: not separable"


def check_table(number, folder, rows, labels, suffix):
    path = os.path.join(folder, "table" + suffix)
    write(path, rows, labels)
    x = [[Fraction(v) for v in row] for row in rows]
    y = [1 if label == "b" else -1 for label in labels]
    seen = ["inspect: exact" for _ in range(check_inspect(path, x, labels))]
    for offset in ("free", "none"):
        truth = separable(x, y, offset == "free")
        seen.append("truth: separable" if truth else "truth: not separable")
        for learner in (["svm", "--hard"], ["lp"]):
            seen.append(check_train(path, folder, learner, ["--offset", offset], x, y, truth))
        seen.append(check_certify(path, ["--offset", offset], truth))
    truth = separable(x, y, True)
    seen.append(check_mistakes(path, folder, truth))
    scale = ("standard", "max-abs", "min-max")[number % 3]
    seen.append(check_train(path, folder, ["svm", "--hard"],
                            ["--scale", scale, "--storage", "dense"], x, y, truth))
    seen.append(check_train(path, folder, ["lp"], ["--precision", "single"], x, y, truth))
    three = list(labels)
    if number % 2:  # by the first column, so that pairs are separable, or by chance
        three = ["abc"[3 * sum(other[0] < row[0] for other in x) // len(x)] for row in x]
    else:
        three[::3] = "c" * len(three[::3])
    write(path, rows, three)
    if len(set(three)) == 3:
        for learner in (["svm", "--hard"], ["lp"]):
            for way in ("ovr", "ovo"):
                seen.append(check_classes(path, folder, learner, way, x, three))
    return seen


# ---- Named tables ----


def named():
    """Tables that were once answered wrongly, or nearly: (name, rows, labels)."""
    seconds = [["%d" % (1700000000 + i)] for i in range(2000)]
    yield "seconds", seconds, ["a" if i < 1000 else "b" for i in range(2000)]
    yield "accounts", [["123456789", "0.1"], ["123456790", "0.5"]], ["a", "b"]
    yield "twins", [["0.1"], ["1e-1"], ["0.3"]], ["a", "b", "a"]
    yield "last digit", [["100000000000000001"], ["100000000000000003"]], ["a", "b"]
    yield "between", [["1"], ["1.00000000000000000001"], ["1.00000000000000000002"]], ["a", "b", "a"]
    yield "thin", [["1", "1"], ["3", "3"], ["2", "2.00000000000000000000001"]], ["a", "a", "b"]
    yield "touching", [["0", "0"], ["2", "2"], ["1", "1.0"], ["1", "3"]], ["a", "a", "b", "b"]
    yield "below the range", [["1e-400"], ["2e-400"]], ["a", "b"]
    yield "below the range, three", [["1e-400", "0"], ["3e-400", "0"], ["2e-400", "0"]], ["a", "a", "b"]
    for digits in (18, 19, 20, 21, 23):
        tail = ["0." + str(10**(digits - 1) + k) for k in (1, 2, 0, 3)]
        yield "small, of %d digits" % digits, [[v] for v in tail], ["a", "b", "a", "b"]
    yield "third", [["0.1", "0.2"], ["0.3", "0.6"], ["0.2", "0.4"]], ["a", "a", "b"]


def main():
    failed, counts = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, rows, labels in named():
            for suffix in (".csv", ".svm"):
                try:
                    if len(rows) > 100:
                        check_seconds(folder, rows, labels, suffix)
                    else:
                        check_table(0, folder, rows, labels, suffix)
                    print("ok %s%s" % (name.replace(" ", "_"), suffix), flush=True)
                except Disagreement as why:
                    failed += 1
                    print("FAILED %s%s" % (name.replace(" ", "_"), suffix), flush=True)
                    print(why, file=sys.stderr)
        wrong = 0
        for number in range(TABLES):
            rng = random.Random("%d %d" % (SEED, number))
            rows, labels = draw(rng)
            suffix = rng.choice([".csv", ".svm"])
            try:
                for seen in check_table(number, folder, rows, labels, suffix):
                    counts[seen] = counts.get(seen, 0) + 1
            except Disagreement as why:
                wrong += 1
                print("table %d of seed %d: %s" % (number, SEED, why), file=sys.stderr)
                with open(os.path.join(folder, "table" + suffix), encoding="ascii") as table:
                    print(table.read(), file=sys.stderr)
        for seen, count in sorted(counts.items()):
            print("  %-24s %6d" % (seen, count), file=sys.stderr)
        print("%s random_tables (%d, %d disagreements)" % ("FAILED" if wrong else "ok", TABLES, wrong))
        # a test that saw one kind of table alone would not be one
        for kind in ("separates", "not separable", "inspect: exact", "certify: made",
                     "classes: separates", "classes: not separable"):
            if TABLES >= 100 and counts.get(kind, 0) < TABLES // 4:
                failed += 1
                print("FAILED random_tables_are_of_every_kind: %s" % kind)
    sys.exit(1 if failed + wrong else 0)


def check_seconds(folder, rows, labels, suffix):
    """Too many rows for the brute force above, and not needed: one column is sorted."""
    path = os.path.join(folder, "table" + suffix)
    write(path, rows, labels)
    x = [[Fraction(v) for v in row] for row in rows]
    y = [1 if label == "b" else -1 for label in labels]
    truth = max(r[0] for r, s in zip(x, y) if s < 0) < min(r[0] for r, s in zip(x, y) if s > 0)
    check_inspect(path, x, labels)
    for learner in (["svm", "--hard"], ["lp"]):
        check_train(path, folder, learner, [], x, y, truth)
    expect(check_certify(path, [], truth) == "certify: made", "certify")


main()
