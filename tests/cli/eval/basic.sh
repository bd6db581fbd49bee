cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o setosa.hsp >/dev/null
halfspace eval -q setosa.hsp iris.csv
# More classes, and rows of classes that were left out.
halfspace train perceptron -q --order shuffle iris.csv -o three.hsp >/dev/null 2>&1
halfspace eval -q three.hsp iris.csv
halfspace train perceptron -q --order shuffle --classes versicolor,virginica iris.csv -o two.hsp >/dev/null 2>&1
halfspace eval -q two.hsp iris.csv
# Votes have no margins.
halfspace train perceptron -q --order shuffle --classes versicolor,virginica --average vote iris.csv -o vote.hsp >/dev/null 2>&1
halfspace eval -q vote.hsp iris.csv
# Rows without labels cannot be measured.
cut -d, -f1-4 iris.csv >bare.csv
halfspace eval -q setosa.hsp bare.csv
echo "exit $?"
