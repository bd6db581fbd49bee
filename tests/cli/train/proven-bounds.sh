# What a run proves holds in exact arithmetic: the objective of the weights in the model is not above the
# one that is reported, no weights have less than the lower bound, and nothing is called converged that is not.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
cat >exact.py <<'PY'
import json, random, subprocess
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 80


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def table(rng):
    """Rows that are hard on doubles: of wild scales, all but equal, far from 0, or all of it."""
    n, d, kind = rng.randint(3, 12), rng.randint(1, 3), rng.randrange(5)
    rows = []
    for i in range(n):
        y = i % 2
        x = [rng.gauss(y, 1) for _ in range(d)]
        if kind == 1:
            x = [v * 10.0 ** rng.randint(-8, 20) for v in x]
        if kind == 2:
            x = [1 + v * 1e-9 for v in x]
        if kind == 3:
            x = [1.7e9 + v for v in x]
        if kind == 4:
            x = [float(rng.choice([0, 1, 16777216, 1e15, -0.1])) for _ in x]
        rows.append((y, x))
    return rows


def halfspace(*words):
    done = subprocess.run(["halfspace", *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def loss(kind, m):
    if kind == "logistic":
        return (1 + (-decimal(m)).exp()).ln() if m > -10**6 else -decimal(m)
    z = max(F(0), 1 - m)
    return decimal(z * z if kind == "squared" else z)


def objective(rows, kind, C, offset):
    """Of the weights in m.hsp, in the unit of C; exact, or (logistic) to 70 digits."""
    said = json.loads(halfspace("model", "show", "--json", "--weights", "all", "m.hsp"))["scorers"][0]
    w = {one["column"] - 1: F(one["weight"]) for one in said["weights"]}
    total = decimal(sum((v * v for v in w.values()), F(0)) / 2)
    if offset == "regularized":
        total += decimal(F(said["offset"]) ** 2 / 2)
    for y, x in rows:
        s = sum((v * F(x[j]) for j, v in w.items()), F(said["offset"]))
        total += Decimal(C) * loss(kind, s if y else -s)
    return total


# Two that once were below their own bounds.
known = [
    (([(0, [1e20, 0.0]), (0, [-0.1, 0.5]), (1, [1e20, 2.0]), (0, [0.0, 0.0])]), "hinge", 1.0, "free"),
    (([(1, [16777216.0])] + 5 * [(0, [0.0])]), "logistic", 1.0, "free"),
]
rng = random.Random(11)
checks = wrong = converged = 0
for problem in range(120):
    rows = table(rng)
    kind = rng.choice(["hinge", "squared", "logistic"])
    C = rng.choice([1e-3, 1.0, 1e4, 1e9])
    offset = rng.choice(["free", "free", "none", "regularized"])
    if problem < len(known):
        rows, kind, C, offset = known[problem]
    with open("t.svm", "w") as file:
        for y, x in rows:
            file.write(" ".join([str(y)] + [f"{j + 1}:{v!r}" for j, v in enumerate(x)]) + "\n")
    learner = ["logistic"] if kind == "logistic" else ["svm", "--loss", kind]
    said = []
    for gap, solver in ("1e-3", "auto"), ("1e-9", "auto"), ("1e-3", "dcd"):
        run = json.loads(halfspace("train", *learner, "-q", "--json", "--precision", "double", "--C", repr(C), "--offset", offset, "--gap",
                                   gap, "--solver", solver, "--max-passes", "300", "t.svm", "-o", "m.hsp"))
        said.append((run, Decimal(gap), objective(rows, kind, C, offset)))
    least = min(exact for _, _, exact in said)
    for run, gap, exact in said:
        up, down = Decimal(run["scaled_objective"]), Decimal(run["scaled_dual_objective"])
        checks += 1
        converged += run["converged"]
        good = exact <= up and down <= least and down <= up
        if run["converged"]:
            good = good and exact - down <= gap * exact
        if not good:
            wrong += 1
            print(problem, kind, C, offset, rows, run["solver"], "says", up, down, "is", exact, least)

def all_at_once(rows, C, offset):
    """The objective of Crammer and Singer's machine in m.hsp."""
    said = json.loads(halfspace("model", "show", "--json", "--weights", "all", "m.hsp"))["scorers"]
    w = [{one["column"] - 1: F(one["weight"]) for one in scorer["weights"]} for scorer in said]
    total = sum((v * v for one in w for v in one.values()), F(0)) / 2
    if offset == "regularized":
        total += sum(F(scorer["offset"]) ** 2 for scorer in said) / 2
    for y, x in rows:
        s = [sum((v * F(x[j]) for j, v in one.items()), F(said[m]["offset"])) for m, one in enumerate(w)]
        total += F(C) * max(F(0), 1 + max(s[m] for m in range(3) if m != y) - s[y])
    return decimal(total)


for problem in range(30):
    rows = [(i % 3, x) for i, (_, x) in enumerate(table(rng) + table(rng))]
    d = min(len(x) for _, x in rows)
    C, offset = rng.choice([1e-3, 1.0, 100.0]), rng.choice(["free", "none", "regularized"])
    with open("t.svm", "w") as file:
        for y, x in rows:
            file.write(" ".join([str(y)] + [f"{j + 1}:{v!r}" for j, v in enumerate(x[:d])]) + "\n")
    run = json.loads(halfspace("train", "svm", "-q", "--json", "--precision", "double", "--multiclass", "crammer-singer",
                               "--C", repr(C), "--offset", offset, "--max-passes", "300", "t.svm", "-o", "m.hsp"))
    exact = all_at_once([(y, x[:d]) for y, x in rows], C, offset)
    up, down = Decimal(run["scaled_objective"]), Decimal(run["scaled_dual_objective"])
    checks += 1
    converged += run["converged"]
    if not (exact <= up and down <= exact) or (run["converged"] and exact - down > exact / 1000):
        wrong += 1
        print(problem, "all at once", C, offset, rows, "says", up, down, "is", exact)
print(checks, "runs,", wrong, "wrong,", "a third converged at least" if 3 * converged >= checks else f"{converged} converged")
PY
python3 exact.py
