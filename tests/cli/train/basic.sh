# The perceptron: a report, and a model where one is asked for.
cp "$EXAMPLES/iris.csv" .
question 'Separable rows: the run converges and the model is written'
halfspace train perceptron --positive setosa --passes until-converged iris.csv -o setosa.hsp 2>&1
ls
question 'Labels 0 and 1, -1 and +1, words; without -o there is only the report'
printf '0 1:1\n1 1:-1\n' >a.svm
printf -- '-1 1:1\n+1 1:-1\n' >b.svm
printf 'no 1:1\nyes 1:-1\n' >c.svm
for file in a.svm b.svm c.svm; do
    halfspace train perceptron --passes until-converged $file
done
question 'Three classes: native and one-vs-rest'
halfspace train perceptron -q --order shuffle --average average iris.csv 2>/dev/null
halfspace train perceptron -q --multiclass ovr --order shuffle --average average iris.csv 2>/dev/null
ls
