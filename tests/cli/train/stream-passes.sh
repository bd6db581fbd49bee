# A stream is read once.
halfspace make halfspace --rows 2000 --features 8 --noise 0.1 -q -o a.svm
question 'More passes, or an offset that needs all rows first, are refused with --stream'
halfspace train perceptron --stream --passes 2 a.svm 2>&1
echo "exit $?"
halfspace train perceptron --stream --offset r2 a.svm 2>&1
echo "exit $?"
question 'Without --stream, more passes over standard input hold the rows in memory'
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
halfspace train perceptron -q --passes 2 - <iris.svm 2>/dev/null | sed -n 2,3p
