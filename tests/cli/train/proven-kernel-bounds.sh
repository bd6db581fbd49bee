# The same of kernel machines, whose kernel values are floats where that is enough: objective and bound hold
# for the kernel of real numbers (80 digits), and the training error is what `eval` finds.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
cat >exact.py <<'PY'
import json, random, struct, subprocess
from decimal import Decimal, getcontext

getcontext().prec = 80


def table(rng):
    n, d, kind = rng.randint(3, 14), rng.randint(1, 3), rng.randrange(4)
    rows = []
    for i in range(n):
        y = i % 2
        x = [rng.gauss(y, 1) for _ in range(d)]
        if kind == 1:
            x = [v * 1e-5 for v in x]
        if kind == 2:
            x = [v * 10.0 ** rng.randint(-3, 4) for v in x]
        if kind == 3:
            x = [1000 + v for v in x]
        rows.append((y, x))
    return rows


def halfspace(*words):
    done = subprocess.run(["halfspace", *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def value(kernel, x, z):
    dot = sum(Decimal(a) * Decimal(b) for a, b in zip(x, z))
    if kernel.startswith("rbf"):
        return (-Decimal(kernel[4:-1]) * sum((Decimal(a) - Decimal(b)) ** 2 for a, b in zip(x, z))).exp()
    return (dot + 1) ** 2 if kernel == "poly(2,1)" else dot + 3


def objective(rows, kernel, loss, C, offset):
    """Of the machine in m.hsp, in the unit of C."""
    said = json.loads(halfspace("model", "show", "--json", "--weights", "all", "m.hsp"))["scorers"][0]
    a = {one["row"] - 1: Decimal(one["coefficient"]) for one in said["coefficients"]}
    total = Decimal(said["offset"]) ** 2 / 2 if offset == "regularized" else Decimal(0)
    for i, (y, x) in enumerate(rows):
        s = sum((v * value(kernel, x, rows[j][1]) for j, v in a.items()), Decimal(0))
        total += a.get(i, Decimal(0)) * s / 2
        z = max(Decimal(0), 1 - (1 if y else -1) * (s + Decimal(said["offset"])))
        total += Decimal(C) * (z * z if loss == "squared" else z)
    return total


rng = random.Random(5)
checks = wrong = converged = 0
known = [([(0, [0.5]), (1, [0.0]), (0, [0.7]), (1, [-0.3])], "rbf(1e-8)", "hinge", 1e9, "free", "double")]
for problem in range(60):
    rows, kernel = table(rng), rng.choice(["rbf(1)", "rbf(0.01)", "rbf(1e-8)", "poly(2,1)"])
    loss, C = rng.choice(["hinge", "squared"]), rng.choice([1e-2, 1.0, 1e4, 1e9, 1e12])
    offset, precision = rng.choice(["free", "none", "regularized"]), rng.choice(["single", "double"])
    if problem < len(known):
        rows, kernel, loss, C, offset, precision = known[problem]
    if precision == "single":
        rows = [(y, [struct.unpack("f", struct.pack("f", v))[0] for v in x]) for y, x in rows]
    with open("t.svm", "w") as file:
        for y, x in rows:
            file.write(" ".join([str(y)] + [f"{j + 1}:{v!r}" for j, v in enumerate(x)]) + "\n")
    said = []
    for gap in "1e-3", "1e-6":
        run = json.loads(halfspace("train", "svm", "-q", "--json", "--precision", precision, "--kernel", kernel, "--loss",
                                   loss, "--offset", offset, "--C", repr(C), "--gap", gap, "--max-passes", "200", "t.svm", "-o", "m.hsp"))
        error = json.loads(halfspace("eval", "-q", "--json", "--precision", precision, "m.hsp", "t.svm"))["error"]
        said.append((run, Decimal(gap), objective(rows, kernel, loss, C, offset), error))
    least = min(exact for _, _, exact, _ in said)
    for run, gap, exact, error in said:
        up, down = Decimal(run["scaled_objective"]), Decimal(run["scaled_dual_objective"])
        checks += 1
        converged += run["converged"]
        good = exact <= up and down <= least and down <= up and run["training_error"] == error
        if run["converged"]:
            good = good and exact - down <= gap * exact
        if not good:
            wrong += 1
            print(problem, kernel, loss, C, offset, precision, rows, "says", up, down, "is", exact, least, run["training_error"], error)
print(checks, "runs,", wrong, "wrong,", "half converged at least" if 2 * converged >= checks else f"{converged} converged")
PY
python3 exact.py
