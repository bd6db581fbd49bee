# What did not arrive is no success, whoever wrote it.
[ -w /dev/full ] || { echo "there is no /dev/full"; exit 77; }
try()
{
    "$@" >/dev/full 2>err
    echo "exit $?: $(cat err)"
}
try halfspace --help
try halfspace --version
try halfspace inspect -q "$EXAMPLES/iris.csv"
try halfspace inspect -q --json "$EXAMPLES/iris.csv"
try halfspace convert -q "$EXAMPLES/iris.csv" -
try halfspace make xor -q
halfspace train perceptron -q --passes until-converged --positive setosa "$EXAMPLES/iris.csv" -o m.hsp >/dev/null
try halfspace train perceptron -q --positive setosa "$EXAMPLES/iris.csv" -o -
try halfspace predict -q m.hsp "$EXAMPLES/iris.csv"
try halfspace eval -q m.hsp "$EXAMPLES/iris.csv"
try halfspace model show m.hsp
