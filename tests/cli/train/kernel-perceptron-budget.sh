# A budget limits the number of support vectors; a model within a budget has no mistake bound to audit.
exec 2>&1
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --kernel 'rbf(1)' --positive virginica --budget 10 iris.csv -o few.hsp 2>/dev/null | grep updates
halfspace model show few.hsp | grep -E '^  support'
halfspace audit -q few.hsp iris.csv --reference few.hsp
echo "exit $?"
