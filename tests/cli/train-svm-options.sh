# What cannot be gets a sentence.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
printf '1 1:1 2:2\n1 1:-1 2:1\n' >one.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
try svm --C 0 a.svm
try svm --C -1 a.svm
try svm --lambda 0 a.svm
try svm --C 1 --lambda 1 a.svm
try logistic --C 1 --lambda 1 a.svm
try svm --weight spam=2 a.svm
try svm --weight 1=-2 a.svm
try svm --weight balanced --weight 1=2 a.svm
try svm --row-weight 3 a.svm
try svm --row-weight 1 a.svm
try svm --row-weight 1 --normalize rows a.svm
try svm one.svm
try svm --hard --penalty l1 a.svm
try svm --hard --C 2 a.svm
try svm --penalty l1 a.svm
try svm --solver simplex a.svm
try svm --gap 2 a.svm
try svm --start a.svm a.svm
try logistic --hard a.svm
