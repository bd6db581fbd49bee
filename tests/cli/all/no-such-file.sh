# A file or folder that does not exist: status 4, the reason from the system, and no file is written.
halfspace inspect nowhere.svm 2>&1
echo "exit $?"
halfspace convert "$EXAMPLES/iris.csv" nowhere/iris.svm -q 2>&1
echo "exit $?"
halfspace convert "$EXAMPLES/iris.csv" -q --encoding none.json x.svm 2>&1
echo "exit $?"
halfspace scale "$EXAMPLES/iris.csv" x.svm -q --apply none.hsp 2>&1
echo "exit $?"
halfspace audit m a 2>&1
echo "exit $?"
mkdir folder && halfspace inspect folder 2>&1
echo "exit $?"
halfspace make xor -q -o x.svm --truth nowhere/t.json 2>&1
echo "exit $?"
halfspace train perceptron "$EXAMPLES/iris.csv" -o nowhere/m.hsp 2>&1
echo "exit $?"
ls
