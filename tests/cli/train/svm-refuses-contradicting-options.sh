# Options that exclude each other are refused.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
printf '0 1:1\n1 1:-1\n2 1:2\n' >three.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
question 'C and lambda set the same thing'
try svm --C 1 --lambda 1 a.svm
try logistic --C 1 --lambda 1 a.svm
question 'A penalty that the loss or the hard margin does not allow'
try svm --hard --penalty l1 a.svm
try svm --penalty l1 a.svm
question 'One-vs-one from a stream'
try svm --stream --multiclass ovo three.svm
question 'A hard margin for a learner that has none'
try logistic --hard a.svm
