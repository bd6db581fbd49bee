# One-vs-one refuses options that it cannot combine.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --multiclass ovo --passes 100 iris.csv -o pairs.hsp >/dev/null 2>&1
halfspace train perceptron -q --multiclass ovo --average vote iris.csv
halfspace train perceptron -q --multiclass ovo --trace t.csv iris.csv
halfspace train perceptron -q --multiclass ovo --stream iris.csv
halfspace predict -q pairs.hsp iris.csv --probability
halfspace predict -q pairs.hsp iris.csv --probability --link logistic
true
