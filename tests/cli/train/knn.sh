# k nearest neighbours: k is chosen by the leave-one-out error, reported, kept in the model and used by eval.
cp "$EXAMPLES/iris.csv" .
halfspace train knn -q --k auto --max-k 12 --scale standard iris.csv -o near.hsp
halfspace eval -q near.hsp iris.csv | sed -n '2,5p'
halfspace model show -q near.hsp | sed -n '2,7p'
question 'The same as JSON: k given, and k chosen with a kernel distance'
halfspace train knn -q --k 3 --json iris.csv | sed -n '/neighbors/,/}/p'
halfspace train knn -q --k auto --max-k 3 --json --metric 'kernel:rbf(0.5)' iris.csv | sed -n '/neighbors/,/}/p'
