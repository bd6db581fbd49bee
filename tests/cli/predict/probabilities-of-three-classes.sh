# Probabilities of three classes: the predicted class is the most probable one, for every multiclass method; the number
# of threads changes nothing.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
for multiclass in native ovr ovo; do
    for calibrate in platt isotonic; do
        halfspace train perceptron -q --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o m.hsp >/dev/null 2>&1
        halfspace train perceptron -q --threads 2 --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o n.hsp >/dev/null 2>&1
        cmp m.hsp n.hsp
        halfspace predict -q m.hsp iris.csv --probability | awk -v FS='\t' '{ top = $2; name = "setosa"; if ($3 > top) { top = $3; name = "versicolor" } if ($4 > top) name = "virginica"; bad += name != $1 } END { print bad + 0, "of", NR, "disagree" }'
    done
done
