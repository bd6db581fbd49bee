# Values that an option cannot have are refused with the values that it can have.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
question 'C and lambda'
try svm --C 0 a.svm
try svm --C -1 a.svm
try svm --C 1e300 a.svm
try svm --lambda 0 a.svm
try svm --lambda 1e101 a.svm
question 'The duality gap'
try svm --gap 2 a.svm
question 'The solver'
try svm --solver simplex a.svm
