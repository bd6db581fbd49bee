# Separable rows: the run ends, says what it learnt, and keeps the model.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron --positive setosa --passes until-converged iris.csv -o setosa.hsp 2>&1
ls
# Without -o it is only reported on; 0/1, -1/+1 and words all work.
printf '0 1:1\n1 1:-1\n' >a.svm
printf -- '-1 1:1\n+1 1:-1\n' >b.svm
printf 'no 1:1\nyes 1:-1\n' >c.svm
for file in a.svm b.svm c.svm; do
    halfspace train perceptron --passes until-converged $file
done
# Native and one-vs-rest.
halfspace train perceptron -q --order shuffle --average average iris.csv 2>/dev/null
halfspace train perceptron -q --multiclass ovr --order shuffle --average average iris.csv 2>/dev/null
ls
