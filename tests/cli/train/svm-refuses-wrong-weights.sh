# Weights of classes and rows that cannot be used are refused.
printf '0 1:1 2:2\n1 1:-1 2:1\n1 1:2 2:-1\n' >a.svm
try()
{
    halfspace train "$@" 2>&1
    echo "exit $?"
}
question 'Weights of classes'
try svm --weight spam=2 a.svm
try svm --weight 1=-2 a.svm
question 'Two weights for a class'
try svm --weight balanced --weight 1=2 a.svm
try svm --weight 1=2 --weight 1=3 a.svm
try logistic --weight 1=1 --weight +1=3 a.svm
question 'Weights of rows'
try svm --row-weight 3 a.svm
try svm --row-weight 1 a.svm
try svm --row-weight 1 --normalize rows a.svm
