# Nested cross-validation: the score of the whole procedure, next to that of the chosen point.
cp "$EXAMPLES/iris.csv" .
halfspace tune svm -q --classes versicolor,virginica --tune C=0.1,1,10 --nested 3 iris.csv
question 'As JSON, by another score'
halfspace tune svm -q --classes versicolor,virginica --tune C=0.1,1,10 --nested 3 --score auc --json iris.csv | grep -A 9 '"nested"'
question 'The number of threads changes nothing'
for threads in 1 3; do
    halfspace tune svm -q --tune C=0.1,1 --nested 2 --threads $threads iris.csv >out.$threads
done
cmp out.1 out.3 && echo same
