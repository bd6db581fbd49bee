# Said loudly, whatever the limit, also with -q and --json; the advice leaves out what was tried.
halfspace make xor --rows 50 -q -o x.svm
train()
{
    echo "\$ $*"
    halfspace train perceptron -q "$@" x.svm --json 2>&1 >out
    echo "exit $?"
    grep -E '"(converged|stop)"' out
}
train
train --passes until-converged --max-passes 7
train --max-updates 5
train --passes 1 --order shuffle --average vote
train --max-seconds 0.01 --passes 1e9 | sed -E 's/[0-9,]+ (pass|update|time)(es|s)?/N \1/g'
train --soft 1 --passes until-converged
# What it advises can be done: soft is for two classes at a time.
iris()
{
    halfspace train perceptron -q "$@" "$EXAMPLES/iris.csv" 2>&1 >/dev/null | sed 's/.*Try/Try/'
}
iris
iris --multiclass ovr
iris --multiclass ovr --soft 1
iris --classes versicolor,virginica
# A first pass that was cut short has counted the rows up to there only.
printf '1 1:1\n0 2:1\n1 1:2\n0 2:2\n' >four.svm
halfspace train perceptron -q --max-updates 1 four.svm 2>/dev/null | grep error
