# Files from which nothing can be learned are refused.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
printf '1 1:1 2:2\n1 1:-1 2:1\n' >one.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
question 'Rows of one class'
try svm one.svm
question 'Data as the model of a warm start'
try svm --warm-start a.svm a.svm
