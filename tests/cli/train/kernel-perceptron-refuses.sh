# Kernels and options that the perceptron cannot use are refused.
exec 2>&1
cp "$EXAMPLES/iris.csv" .
for wrong in '--kernel poly(2,' '--kernel sigmoid(1,0)' '--kernel rbf(1) --trace t.csv' '--budget 3' \
    '--kernel linear --multiclass ovo --average vote'; do
    # shellcheck disable=SC2086 # options and their values
    halfspace train perceptron -q $wrong iris.csv -o no.hsp
    echo "exit $?"
done
