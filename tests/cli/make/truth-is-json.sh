# The true separator that make writes is JSON, with a weight for each feature.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
halfspace make separable -q --json -o d.svm --truth t.json >/dev/null
python3 -c 'import json; t = json.load(open("t.json")); print(sorted(t), len(t["weights"]))'
