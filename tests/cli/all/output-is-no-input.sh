# No command overwrites a file that it reads, nor one of its outputs by another.
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
question 'The data, the model or another output as the output, by whatever name'
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
question 'The same name twice where nothing can be lost'
try predict -q m.hsp /dev/null -o /dev/null
try model form -q m.hsp --to unit -o m.hsp
ls
