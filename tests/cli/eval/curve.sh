exec 2>&1
# Scores 4, 1, -2, -4 of the classes +1, -1, -1, +1.
printf -- '+1 1:1\n-1 1:-1\n' >a.svm
halfspace train perceptron -q --passes until-converged a.svm -o m.hsp >/dev/null
printf '+1 1:2\n-1 1:0.5\n-1 1:-1\n+1 1:-2\n' >b.svm
for curve in roc pr lift; do halfspace eval -q m.hsp b.svm --curve "$curve"; done
halfspace eval -q m.hsp b.svm --curve roc --output-format json
# In a file, the report goes to standard output.
halfspace eval -q m.hsp b.svm --curve roc -o roc.csv | head -n 2
wc -l <roc.csv
# More classes: one curve per class against the rest. Bins of probabilities.
cp "$EXAMPLES/iris.csv" .
halfspace train logistic -q iris.csv -o three.hsp >/dev/null
halfspace eval -q three.hsp iris.csv --curve calibration --bins 2
halfspace eval -q three.hsp iris.csv --curve roc | cut -d, -f1 | sort | uniq -c
halfspace eval -q m.hsp b.svm --curve calibration
halfspace eval -q m.hsp b.svm --curve roc --json
halfspace eval -q m.hsp b.svm -o roc.csv
halfspace eval -q m.hsp b.svm --curve roc -o b.svm
