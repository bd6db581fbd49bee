# A time limit, other scores, and what cannot be learned from.
cp "$EXAMPLES/iris.csv" .
halfspace auto -q iris.csv --max-seconds 0.01 --json | sed -n '/"search"/p; /"score_name"/p'
halfspace auto -q iris.csv --score balanced-accuracy --json | sed -n '/"score_name"/p; /"majority"/p'
halfspace auto -q iris.csv --score auc 2>&1
printf 'a,1\na,2\n' >one.csv
halfspace auto -q one.csv --label 1 --header no 2>&1
halfspace auto -q iris.csv -o iris.csv 2>&1
halfspace auto -q nowhere.csv 2>&1
true
