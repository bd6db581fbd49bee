exec 2>&1
# By hand: w = 2, b = 0, so the scores are 4, 1, -2 and -4, the distances half of that.
printf -- '+1 1:1\n-1 1:-1\n' >a.svm
halfspace train perceptron -q --passes until-converged a.svm -o m.hsp >/dev/null
printf '+1 1:2\n-1 1:0.5\n-1 1:-1\nblue 1:-2\n' >b.svm
halfspace eval m.hsp b.svm --rows | grep -v note
halfspace eval -q m.hsp b.svm --rows --output-format json -o rows.json | head -n 1
cat rows.json
# The KKT residuals times C sum to the duality gap; other rows have no dual coefficients.
cp "$EXAMPLES/iris.csv" .
sum() { awk -F, 'NR > 1 && $10 > 0 { n++ } NR > 1 { s += $11 } END { print n, s < 1e-5 }'; }
halfspace train svm -q --positive virginica --keep-dual --gap 1e-7 iris.csv -o s.hsp | grep support
halfspace eval -q s.hsp iris.csv --rows | sum
halfspace train svm -q --positive virginica --kernel 'rbf(1)' --gap 1e-7 iris.csv -o k.hsp | grep support
halfspace eval -q k.hsp iris.csv --rows | sum
head -n 60 iris.csv >part.csv
halfspace eval s.hsp part.csv --rows | sed -n 2p
halfspace train svm -q iris.csv -o three.hsp >/dev/null
halfspace eval -q three.hsp iris.csv --rows | head -n 2
halfspace eval -q s.hsp iris.csv --rows --curve roc
