# A time limit, other scores, and what cannot be learned from.
cp "$EXAMPLES/iris.csv" .
halfspace auto -q iris.csv --max-seconds 0.01 --json | sed -n '/"search"/p; /"score_name"/p'
halfspace auto -q iris.csv --max-seconds 0.01 | grep unbiased
awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i % 6 "," (i == 7 || i == 22 || i == 41 || i == 50 ? "yes" : "no") }' >rare.csv
halfspace auto -q rare.csv --score auc 2>&1 | grep EVERY
halfspace auto -q iris.csv --score balanced-accuracy --json | sed -n '/"score_name"/p; /"majority"/p'
halfspace auto -q iris.csv --score auc 2>&1
printf 'a,1\na,2\n' >one.csv
halfspace auto -q one.csv --label 1 --header no 2>&1
halfspace auto -q iris.csv -o iris.csv 2>&1
halfspace auto -q nowhere.csv 2>&1
true
