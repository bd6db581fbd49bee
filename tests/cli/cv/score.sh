# Scores besides the error, with the majority class's beside them.
cp "$EXAMPLES/iris.csv" .
halfspace cv logistic -q --score auc --positive virginica --held-out held.csv --folds 3 iris.csv
question 'A line for each row'
head -n 3 held.csv; wc -l <held.csv
question 'Weights count in the score'
printf 'x,w,label\n1,1,a\n2,5,a\n3,1,b\n4,1,b\n0,1,a\n5,1,b\n1.5,4,b\n' >weights.csv
halfspace cv svm -q --score error --row-weight w --folds 2 weights.csv | sed -n '2,4p;7,$p'
question 'A score that needs probabilities'
halfspace cv svm -q --score brier iris.csv 2>&1; echo "exit $?"
halfspace cv lp -q --soft --score log-loss iris.csv 2>&1; echo "exit $?"
halfspace cv svm -q --score brier --calibrate platt --folds 3 iris.csv | sed -n '3,4p'
question 'A fold in which the score is not defined'
printf 'a 1:1\na 1:2\nb 1:3\nb 1:4\na 1:1.5\na 1:0\n' >few.svm
halfspace cv svm -q --score auc --folds 3 few.svm 2>&1 | sed -n '1,14p'
question 'The predictions to standard output; the data as the output'
halfspace cv svm -q --held-out - --folds 3 few.svm 2>/dev/null | head -n 2
halfspace cv svm -q --held-out few.svm few.svm 2>&1; echo "exit $?"
