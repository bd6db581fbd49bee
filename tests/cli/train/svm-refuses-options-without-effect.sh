# Options that would have no effect are refused, not ignored.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
question 'With a hard margin'
try svm --hard --C 2 a.svm
question 'Class weights where no errors are allowed'
try lp --weight 1=2 a.svm
question 'Options of Pegasos with another solver'
try svm --order cyclic a.svm
try svm --average none --solver dcd a.svm
question 'The same options with Pegasos'
try svm --order cyclic --average none --solver pegasos --max-passes 2 -q a.svm | grep -v warning | tail -n 1
question 'A number of passes over a stream'
try svm --stream --lambda 0.1 --max-passes 5 a.svm
try perceptron --stream --max-passes 5 a.svm
