exec 2>&1
cp "$EXAMPLES/iris.csv" .
halfspace train logistic -q --positive virginica iris.csv -o l.hsp >/dev/null
halfspace train svm -q --positive virginica iris.csv -o s.hsp >/dev/null
halfspace eval -q l.hsp iris.csv --compare s.hsp --score f1 --interval 0.9 | sed -n '/Compared/,/^$/p'
halfspace eval -q l.hsp iris.csv --compare s.hsp --json | sed -n '/"comparison"/,/}/p'
halfspace eval -q l.hsp - --compare s.hsp <iris.csv
