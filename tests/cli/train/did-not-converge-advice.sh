# The advice can be followed: --soft is for two classes at a time.
iris()
{
    halfspace train perceptron -q "$@" "$EXAMPLES/iris.csv" 2>&1 >/dev/null | sed 's/.*Try/Try/'
}
iris
iris --multiclass ovr
iris --multiclass ovr --soft 1
iris --classes versicolor,virginica
