# A trace that cannot be written is refused before the training.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
question 'Two outputs on standard output'
halfspace train perceptron -q --positive setosa iris.csv --trace - --json 2>&1
echo "exit $?"
halfspace train perceptron -q --positive setosa iris.csv --trace - -o - 2>&1
echo "exit $?"
question 'A reference without a trace'
halfspace train perceptron -q --positive setosa iris.csv --reference m.hsp 2>&1
echo "exit $?"
question 'A folder that does not exist'
halfspace train perceptron -q --positive setosa iris.csv --trace nowhere/t.csv 2>&1
echo "exit $?"
question 'No file is left'
ls
