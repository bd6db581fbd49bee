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
try svm --warm-start a.svm a.svm
try logistic --hard a.svm
# Options that would be passed over in silence are refused instead.
printf '0 1:1\n1 1:-1\n2 1:2\n' >three.svm
try svm --C 1e300 a.svm
try svm --lambda 1e101 a.svm
try svm --weight 1=2 --weight 1=3 a.svm
try logistic --weight 1=1 --weight +1=3 a.svm
try lp --weight 1=2 a.svm
try svm --order cyclic a.svm
try svm --average none --solver dcd a.svm
try svm --order cyclic --average none --solver pegasos --max-passes 2 -q a.svm | grep -v warning | tail -n 1
try svm --stream --lambda 0.1 --max-passes 5 a.svm
try svm --stream --multiclass ovo three.svm
try perceptron --stream --max-passes 5 a.svm
# An expression that need not be a kernel has no gap to reach: one warning says so, and no advice.
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --allow-indefinite --kernel 'sigmoid(0.01,-1)' --positive setosa iris.csv 2>&1 | grep -E 'halfspace|converged'
