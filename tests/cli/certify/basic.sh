# Claims about data and models: made, checked before they are written, and accepted again.
cp "$EXAMPLES/iris.csv" "$EXAMPLES/weather.csv" .
halfspace verify --help >/dev/null || exit 1
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
question 'Every data set of the examples, every pair of classes'
for classes in setosa,versicolor setosa,virginica versicolor,virginica virginica,versicolor; do
    halfspace certify -q iris.csv --classes $classes -o iris.cert | grep '^claim' | cut -c1-60
    halfspace verify iris.cert iris.csv | tail -n 1
done
for class in setosa versicolor virginica; do
    halfspace certify -q iris.csv --positive $class --offset none -o iris.cert | grep -c '^claim'
    halfspace verify iris.cert iris.csv >/dev/null; echo "$class $?"
done
for missing in drop mean indicator; do
    halfspace certify -q weather.csv --missing $missing -o weather.cert | tail -n 1
    halfspace verify weather.cert weather.csv >/dev/null; echo "$missing $?"
done
question 'A compressed file in another folder'
mkdir far; gzip -c iris.csv >far/iris.csv.gz
halfspace certify -q far/iris.csv.gz --positive setosa -o gz.cert | tail -n 1
halfspace verify gz.cert iris.csv | tail -n 1
halfspace verify gz.cert far/iris.csv.gz | tail -n 1
question 'Claims about a model: all that hold, and one by name'
halfspace train svm -q --classes versicolor,virginica --gap 1e-4 iris.csv -o pair.hsp --certify | grep -E '^(claim|verified)' | cut -c1-30
ls pair.hsp.cert
halfspace certify -q iris.csv --model pair.hsp --claim optimal --json | grep -E '"(claim|made|why|model|certificate)"'
halfspace certify -q iris.csv --model pair.hsp --claim mistakes -o none.cert
echo "exit $?"
[ -e none.cert ] || echo 'nothing was written'
question 'A certificate that was tampered with is rejected'
halfspace certify -q iris.csv --classes versicolor,virginica -o pair.cert >/dev/null
sed '/"multipliers"/s/, "/, "1/' pair.cert >bent.cert # the first of them
halfspace verify -q bent.cert iris.csv 2>&1 | tail -n 1 | cut -c1-40
halfspace verify -q bent.cert iris.csv >/dev/null 2>&1
echo "exit $?"
halfspace verify -q pair.cert iris.csv --json | grep -E '"(holds|reason)"'
question 'The error on rows that are not in DATA'
# A row of a class that was left out is in DATA, too. Files that are read in different ways have no rows in common.
{ head -n 1 iris.csv; sed -n 2p iris.csv | sed 's/setosa/versicolor/'; echo 5.25,3.5,1.4,0.2,versicolor; echo 6.25,3,5.5,2,virginica; } >test.csv
halfspace certify -q iris.csv --model pair.hsp --test test.csv --claim error -o error.cert | grep error
halfspace verify error.cert iris.csv test.csv | tail -n 1
tr , ';' <test.csv >other.csv
halfspace certify -q iris.csv --model pair.hsp --test other.csv --claim error
echo "exit $?"
