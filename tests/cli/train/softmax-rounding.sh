# A gap below what rounding leaves open: softmax ends as soon as little else is left, and says so.
halfspace train logistic -q --gap 1e-12 --json "$EXAMPLES/iris.csv" 2>said.txt >run.json
grep -E '"(stop|converged)"' run.json
awk -F '[:,]' '/"passes"/ { print ($2 < 100 ? "fewer than 100 passes" : "many passes:" $2) }' run.json
sed 's/in .* passes: .*;/.../' said.txt
