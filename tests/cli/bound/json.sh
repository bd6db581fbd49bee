# The JSON of bound: every figure is consistent with the others, and is what people are shown, rounded up.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
cat >look.py <<'END'
import json, math, subprocess, sys
def bound(*words):
    return subprocess.run(["halfspace", "bound", "-q", *words], capture_output=True, text=True, check=True).stdout
def look(*words):
    told, shown = json.loads(bound(*words, "--json")), bound(*words)
    kinds, names = {"test", "training", "estimate"}, [b["name"] for b in told["bounds"]]
    assert len(set(names)) == len(names) and {b["kind"] for b in told["bounds"]} <= kinds
    lines = {}
    for line in shown.splitlines(): # the first line of each name is that of the table, if it applies
        lines.setdefault(line.split()[0] if line.startswith("  ") else "", line)
    for b in told["bounds"]:
        assert set(b) == {"name", "kind", "about", "formula", "assumes", "applies", "value", "vacuous", "figures"}
        assert all(b[text] for text in ("about", "formula", "assumes", "figures"))
        if not b["applies"]:
            assert b["value"] is None and b["vacuous"] is False and b["figures"] in shown
            continue
        assert b["vacuous"] == (b["value"] >= 1) and 0 <= b["value"]
        line = lines[b["name"]]
        assert b["about"] in line and b["formula"] in line and ("vacuous" in line) == b["vacuous"], line
        percent = float(line.split()[2].rstrip("%"))
        assert 0 <= percent - 100 * b["value"] <= 0.0101, (line, b["value"])
    for key in "training", "held_out":
        n, m, error = (told[key][k] for k in ("rows", "mistakes", "error"))
        assert (error is None) == (n == 0) and (n == 0 or error == m / n)
    assert told["summary"] in shown
    if told["held_out"]["rows"]:
        assert told["true_error_least"] <= told["held_out"]["error"] <= told["true_error_most"]
        assert told["overfits"] == (told["training"]["rows"] > 0 and told["true_error_least"] > told["training"]["error"])
    else:
        assert told["true_error_least"] is None and told["true_error_most"] is None and not told["overfits"]
    print(len(names), "bounds,", sum(b["applies"] for b in told["bounds"]), "apply,",
          sum(b["vacuous"] for b in told["bounds"]), "vacuous")
for model in sys.argv[1:]:
    look(model, "--train", "a.svm", "--test", "b.svm")
    look(model, "--train", "a.svm", "--delta", "1e-9")
    look(model, "--test", "b.svm", "--delta", "0.5")
size = json.loads(bound("sample-size", "--json", "--vc", "7", "--epsilon", "0.1", "--delta", "0.05"))
assert size["solved"] == "rows" and size["rows"] == int(size["rows"]) <= size["closed_rows"] and size["vc_dimension"] == 7
back = json.loads(bound("sample-size", "--json", "--vc", "7", "--rows", str(int(size["rows"])), "--delta", "0.05"))
assert back["solved"] == "epsilon" and back["epsilon"] <= 0.1 and back["closed_rows"] is None and back["theorem"] == size["theorem"]
none = json.loads(bound("sample-size", "--json", "--bits", "1e15", "--epsilon", "1e-15", "--delta", "0.5"))
assert none["rows"] is None and none["vacuous"] and none["vc_dimension"] is None
made = json.loads(bound("simulate", "--json", "--trials", "30", "--rows", "80", "--delta", "0.2"))
assert made["held"] and made["trials"] == 30 and made["delta"] == 0.2 and made["best_error"] == 0.05
for b in made["bounds"]:
    assert b["failed"] <= b["applied"] <= 30 and b["vacuous"] <= b["applied"]
    assert (b["mean_value"] is None) == (b["mean_error"] is None) == (b["applied"] == 0)
    assert (b["chance"] is None) == (b["kind"] == "estimate" or b["applied"] == 0)
print("all consistent")
END
halfspace make halfspace --rows 800 --features 6 --noise 0.05 --seed 3 -q -o all.svm
halfspace split all.svm a.svm b.svm --test 0.3 --no-stratified -q >/dev/null
halfspace train perceptron -q --passes 1 --average vote a.svm -o vote.hsp >/dev/null 2>&1
halfspace train svm -q a.svm -o svm.hsp >/dev/null
halfspace train svm -q --kernel 'rbf(0.1)' a.svm -o kernel.hsp >/dev/null
halfspace train perceptron -q --scale standard a.svm -o scaled.hsp >/dev/null 2>&1
python3 look.py vote.hsp svm.hsp kernel.hsp scaled.hsp
