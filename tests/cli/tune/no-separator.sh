# Tuning a hard margin where no separator exists: status 1, and no model.
cp "$EXAMPLES/iris.csv" .
question 'Folds that have a separator, all rows that have none'
halfspace tune svm -q --tune hard=yes --classes versicolor,virginica --folds 2 iris.csv -o none.hsp 2>&1; echo "exit $?"
question 'Folds without a separator'
halfspace make xor --rows 40 --seed 1 -q -o x.svm
halfspace tune svm -q --tune hard=yes --folds 2 x.svm 2>&1; echo "exit $?"
question 'No model is written'
ls -A
