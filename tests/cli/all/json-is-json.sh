# What --json prints is JSON, with the keys that the manual page names and no others.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
cat >keys.py <<'END'
import json, re, subprocess, sys
command, text = sys.argv[1], sys.stdin.read()
found, decoder = set(), json.JSONDecoder()
while text.strip(): # several runs, each with keys of its own
    one, end = decoder.raw_decode(text.lstrip())
    for item in one if isinstance(one, list) else [one]:
        found |= set(item)
    text = text.lstrip()[end:]
page = subprocess.run(["halfspace", "help", "--man", command], capture_output=True, text=True).stdout
section = page.split(".SH JSON OUTPUT\n")[1].split("\n.SH")[0]
told = set(k for line in re.findall(r"\.TP\n\\fB(.*)\\fR", section) for k in line.removeprefix("[].").split(", ") if not set(k) & set(".[]"))
open("asked", "a").write(command + "\n")
print(command, "same keys" if told == found else ("told", told - found, "found", found - told))
END
halfspace inspect -q --json "$EXAMPLES/iris.csv" | python3 keys.py inspect
halfspace convert -q --json "$EXAMPLES/iris.csv" iris.svm | python3 keys.py convert
halfspace split -q --json iris.svm a.svm b.svm | python3 keys.py split
halfspace scale -q --json iris.svm c.svm | python3 keys.py scale
halfspace make separable -q --json -o d.svm --truth t.json | python3 keys.py make
printf '0 1:0 2:0\n0 1:1 2:1\n1 1:0 2:1\n1 1:1 2:0\n' >xor.svm
{
    halfspace train perceptron -q --json --passes until-converged d.svm -o m.hsp
    halfspace train experts -q --json d.svm
    halfspace train svm -q --json --hard xor.svm
} | python3 keys.py train
halfspace cv perceptron -q --json d.svm 2>/dev/null | python3 keys.py cv
halfspace tune perceptron -q --json --tune rate=1,2 d.svm 2>/dev/null | python3 keys.py tune
halfspace auto -q --json d.svm 2>/dev/null | python3 keys.py auto
halfspace predict -q --json m.hsp d.svm -o p.txt | python3 keys.py predict
halfspace eval -q --json m.hsp d.svm --compare m.hsp | python3 keys.py eval
halfspace audit -q --json m.hsp d.svm --reference m.hsp | python3 keys.py audit
halfspace make separable -q --seed 9 -o e.svm
{
    halfspace bound -q --json m.hsp --train d.svm --test e.svm
    halfspace bound sample-size --json --vc 3 --epsilon 0.1 --delta 0.1
    halfspace bound simulate -q --json --trials 2 --rows 20
} | python3 keys.py bound
halfspace plot -q --json m.hsp d.svm --x 1 --y 2 | python3 keys.py plot
halfspace report -q --json m.hsp d.svm -o r.html | python3 keys.py report
halfspace model show --json m.hsp | python3 keys.py model
halfspace model form --to unit -q --json m.hsp -o u.hsp | python3 keys.py model
{
    halfspace kernel check -q --json linear d.svm
    halfspace kernel gram -q --json linear d.svm -o k.svm
} | python3 keys.py kernel
halfspace train knn -q d.svm -o knn.hsp >/dev/null
halfspace neighbors -q --json knn.hsp e.svm | python3 keys.py neighbors
{
    halfspace certify -q --json d.svm -o d.cert
    halfspace certify -q --json xor.svm -o x.cert
} | python3 keys.py certify
halfspace verify --json d.cert d.svm | python3 keys.py verify
halfspace learners --json | python3 keys.py learners
halfspace help --json | python3 keys.py help
for command in $COMMANDS; do grep -qx "$command" asked || echo "$command: not asked"; done
