# Every bound that applies holds, and each step of its proof.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o setosa.hsp >/dev/null
halfspace audit -q setosa.hsp iris.csv --reference setosa.hsp
echo "exit $?"
halfspace train perceptron -q --positive setosa --passes until-converged --offset none --normalize rows iris.csv -o unit.hsp >/dev/null
halfspace audit -q unit.hsp iris.csv --reference unit.hsp --json | grep -E '"(updates|held|name|applies)"' | sed -n 1,12p
# Rows that the run did not see are an error; figures that the rows contradict are the answer no.
halfspace make separable --rows 100 --features 4 --seed 1 -q -o a.svm
halfspace make separable --rows 100 --features 4 --seed 2 -q -o b.svm
halfspace train perceptron -q --passes until-converged a.svm -o a.hsp >/dev/null
halfspace audit -q a.hsp b.svm --reference a.hsp 2>/dev/null
echo "exit $?"
sed 's/"fact.updates":"5"/"fact.updates":"9"/' setosa.hsp >tampered.hsp
halfspace audit -q tampered.hsp iris.csv --reference setosa.hsp | grep EXCEEDED
halfspace audit -q tampered.hsp iris.csv --reference setosa.hsp --json | grep -c '"held": false'
halfspace audit -q tampered.hsp iris.csv --reference setosa.hsp >out
echo "exit $?"
# A reference that does not separate the rows, and none.
halfspace train perceptron -q --classes versicolor,virginica --order shuffle iris.csv -o two.hsp >/dev/null 2>&1
halfspace audit -q two.hsp iris.csv --reference two.hsp | grep -E '^  (inseparable|offset) .*(held|does not apply)'
halfspace audit -q setosa.hsp iris.csv >out; echo "exit $?"; sed -n "1s/, 0.7.*/ .../;1p;\$p" out
