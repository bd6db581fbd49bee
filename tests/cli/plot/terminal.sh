# Figures in plain ASCII: letters are the same in all panels, bars of two classes differ, signs are spelled out, notes are
# wrapped.
cp "$EXAMPLES/iris.csv" .
printf '1 1:2 2:0.5\n-1 1:1.5 2:-2\n1 1:1 2:2\n-1 1:-1 2:-1.5\n' >tilt.svm
halfspace train perceptron -q tilt.svm --trace tilt.csv >/dev/null
question 'panels'
halfspace plot -q steps tilt.svm tilt.csv --width 30 --height 6
question 'bars'
halfspace train logistic -q --positive virginica --scale standard iris.csv -o two.hsp >/dev/null
halfspace plot -q weights two.hsp --width 40 --height 8
question 'signs and notes'
halfspace plot -q slack two.hsp iris.csv --width 40 --height 5
