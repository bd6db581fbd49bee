# A run that did not converge says so, whatever the limit, also with -q and --json; the advice leaves out what was tried.
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
# the sentences depend on where in a pass the time ends
train --max-seconds 0.01 --passes 1e9 |
    sed -e 's/DID NOT CONVERGE.* Try more --max-seconds.*/DID NOT CONVERGE ... Try more --max-seconds/' -e '/is predicted for EVERY row/d'
train --soft 1 --passes until-converged
