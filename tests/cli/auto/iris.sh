# The report of a search; the printed command trains the same model.
cp "$EXAMPLES/iris.csv" .
halfspace auto -q iris.csv -o iris.hsp
halfspace auto -q iris.csv --json | sed -n '/"command"/p'
eval "$(halfspace auto -q iris.csv -o again.hsp | sed -n 's/^  best *//p') -q" >train.txt
halfspace predict -q --scores iris.hsp iris.csv >a
halfspace predict -q --scores again.hsp iris.csv | cmp - a
halfspace model show -q --json iris.hsp | grep -c '\\"values\\"'
