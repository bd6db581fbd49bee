# Without --tune, values that suit the learner are tried.
cp "$EXAMPLES/iris.csv" .
halfspace tune svm --classes versicolor,virginica iris.csv 2>&1 | grep -v note:
question 'Kernels: C and gamma; what is set is not tuned'
halfspace tune svm -q --kernel rbf --scale standard --folds 2 iris.csv | sed -n '4,10p'
halfspace tune svm -q --kernel rbf --gamma 0.5 --folds 2 iris.csv | sed -n '4,9p'
question 'The other learners'
for learner in logistic knn perceptron winnow experts; do
    halfspace make disjunction --rows 60 --features 6 -q -o d.svm
    echo "$learner: $(halfspace tune $learner -q --folds 2 d.svm 2>/dev/null | head -n 1)"
done
question 'Nothing to tune'
halfspace tune lp -q --soft iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --C 1 iris.csv 2>&1; echo "exit $?"
