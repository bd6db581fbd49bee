# What is read is never written over, by whatever name; what cannot lose anything may be named twice.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
mkdir folder
ln -s iris.csv also.csv
ln m.hsp again.hsp
cksum iris.csv m.hsp >before
try train perceptron -q iris.csv -o iris.csv
try train perceptron -q iris.csv -o folder/../also.csv
try train perceptron -q --stream iris.csv -o iris.csv
try train perceptron -q --positive setosa iris.csv --trace iris.csv
try train perceptron -q --positive setosa iris.csv --trace x -o x
try train perceptron -q --positive setosa iris.csv --trace folder/../x -o ./x
try train perceptron -q --positive setosa iris.csv --trace t.csv --reference m.hsp -o m.hsp
try train perceptron -q --positive setosa iris.csv --trace m.hsp --reference again.hsp
try predict -q m.hsp iris.csv -o m.hsp
try predict -q m.hsp iris.csv -o iris.csv
cksum iris.csv m.hsp | cmp - before && echo "nothing was lost"
try predict -q m.hsp /dev/null -o /dev/null
try model form -q m.hsp --to unit -o m.hsp
ls
