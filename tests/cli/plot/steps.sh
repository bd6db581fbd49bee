# The updates of a perceptron, from its trace: two updates by hand, w = (2, 0.5), then (0.5, 2.5).
printf '1 1:2 2:0.5\n-1 1:1.5 2:-2\n1 1:1 2:2\n-1 1:-1 2:-1.5\n' >tilt.svm
halfspace train perceptron -q --offset none tilt.svm --trace tilt.csv -o tilt.hsp >/dev/null
question 'small multiples: one panel per update'
halfspace plot -q steps tilt.svm tilt.csv -o all.svg && grep -o '>[12]: row [^<]*' all.svg
question 'one update'
halfspace plot -q steps tilt.svm tilt.csv --updates 2 -o two.svg && grep -o '>[12]: row [^<]*' two.svg
question 'a file per update'
halfspace plot steps tilt.svm tilt.csv -o 'step-%03d.svg' 2>&1; ls step-*
halfspace plot -q steps tilt.svm tilt.csv -o 'frame-%d.svg' --updates 1 2>&1; ls | grep -c frame
question 'with an offset, and more than two features'
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa iris.csv --trace iris-trace.csv >/dev/null
halfspace plot -q steps iris.csv iris-trace.csv --positive setosa --x petal_length --y petal_width -o iris.svg && grep -o 'boundaries where other features have their mean' iris.svg
question 'another trace, other data'
halfspace plot -q steps tilt.svm tilt.svm 2>&1; echo "exit $?"
halfspace plot -q steps iris.csv tilt.csv 2>&1; echo "exit $?"
halfspace plot -q steps iris.csv tilt.csv --positive setosa 2>&1; echo "exit $?"
halfspace plot -q steps tilt.svm iris-trace.csv 2>&1; echo "exit $?"
halfspace plot -q steps tilt.svm tilt.csv --updates 3 2>&1; echo "exit $?"
halfspace plot -q steps tilt.svm tilt.csv --updates 2-1 2>&1; echo "exit $?"
printf '1 1:1 2:0\n0 1:1 2:1\n' >winnow.svm
halfspace train winnow -q winnow.svm --trace winnow.csv >/dev/null 2>&1
halfspace plot -q steps winnow.svm winnow.csv 2>&1; echo "exit $?"
