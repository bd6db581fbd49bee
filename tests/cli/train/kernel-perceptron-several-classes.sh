# The perceptron with a kernel on three classes.
cp "$EXAMPLES/iris.csv" .
question 'One-vs-rest, with votes'
halfspace train perceptron -q --kernel 'rbf(median)' --multiclass ovr --average vote --passes 5 iris.csv -o three.hsp 2>/dev/null |
    grep -E 'updates|error'
halfspace model show three.hsp | sed '/^$/q' | grep -E '^  (hypothesis|kernel) '
halfspace eval -q three.hsp iris.csv | grep mistakes
question 'One-vs-one: with the linear kernel, the pairs of the perceptron without a kernel'
for kernel in '' '--kernel linear' '--kernel rbf(median)'; do
    # shellcheck disable=SC2086 # none, or an option and its value
    halfspace train perceptron -q --multiclass ovo --scale standard --passes 20 $kernel iris.csv -o pairs.hsp 2>/dev/null |
        grep -E 'updates|error'
    halfspace model show pairs.hsp | sed '/^$/q' | grep -E '^  (kernel|decided by) '
done
