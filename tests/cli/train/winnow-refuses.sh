# Winnow refuses data and options that it cannot use.
exec 2>&1
cp "$EXAMPLES/iris.csv" .
halfspace make disjunction --rows 2000 --features 500 --relevant 4 --seed 3 -q -o d.svm
printf '1 1:0.5\n-1 2:1\n\n-1 1:3\n' >blank.svm
question 'Values outside [0, 1]: in a file, in a stream, in some of the classes, in a fold'
halfspace train winnow -q iris.csv
halfspace train winnow -q --stream --threshold 4 --positive setosa iris.csv
halfspace train winnow -q --scale standard iris.csv
halfspace train winnow -q blank.svm
halfspace train winnow -q --stream --threshold 4 --classes 1,-1 blank.svm
halfspace train winnow -q --classes 1,-1 blank.svm
halfspace train winnow -q - <blank.svm
halfspace tune winnow -q --folds 2 --tune delta=0.5,1 blank.svm
question 'Options that it does not have, or that do not fit each other'
halfspace train winnow -q --threshold 0 d.svm
halfspace train winnow -q --offset unit d.svm
halfspace train winnow -q --variant winnow1 --scale min-max iris.csv
question 'A stream without a threshold or without classes'
halfspace train winnow -q --stream d.svm
halfspace train winnow -q --stream --threshold 500 d.svm
echo "exit $?"
