# A closed standard output is an error; a closed standard error is nobody listening.
halfspace inspect -q "$EXAMPLES/iris.csv" >&- 2>err
echo "exit $?: $(cat err)"
halfspace convert -q "$EXAMPLES/iris.csv" - >&- 2>err
echo "exit $?: $(cat err)"
halfspace convert "$EXAMPLES/iris.csv" a.svm 2>&- && wc -l <a.svm
halfspace inspect - <&- 2>err
echo "exit $?: $(cat err)"
