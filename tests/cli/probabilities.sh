# Probabilities: by a link, by calibration; never against the label.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard iris.csv -o plain.hsp >plain.out 2>/dev/null
halfspace predict -q plain.hsp iris.csv -o labels
halfspace predict -q plain.hsp iris.csv --probability
halfspace predict -q plain.hsp iris.csv --link probit
for link in logistic probit step; do
    halfspace predict -q plain.hsp iris.csv --probability --link $link | awk -v FS='\t' 'NR == 51 || NR == 101 { printf "%s %.6g %.6g\n", $1, $2, $3 }'
done
for calibrate in platt isotonic; do
    halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard --calibrate $calibrate iris.csv -o $calibrate.hsp >$calibrate.out 2>/dev/null
    cmp plain.out $calibrate.out
    halfspace predict -q $calibrate.hsp iris.csv --probability >p
    cut -f 1 p | cmp - labels
    awk -v FS='\t' '{ if ($1 == "virginica" ? $3 <= 0.5 : $2 <= 0.5) bad++; if (($2 + $3 - 1) ^ 2 > 1e-20) bad++ } END { print bad + 0, "of", NR, "disagree" }' p
    halfspace eval -q $calibrate.hsp iris.csv | grep -e loss -e Brier
    halfspace eval -q $calibrate.hsp iris.csv --json | sed -En 's/"(log_loss|brier)": (0\.[0-9]{6}).*/\1 \2/p'
    halfspace model show $calibrate.hsp | grep -e probabilities
    halfspace model form $calibrate.hsp --to unit -o unit.hsp
    halfspace eval -q unit.hsp iris.csv | grep -e loss -e Brier
done
# Three classes, in every way that there is.
for multiclass in native ovr ovo; do
    for calibrate in platt isotonic; do
        halfspace train perceptron -q --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o m.hsp >/dev/null 2>&1
        halfspace train perceptron -q --threads 2 --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o n.hsp >/dev/null 2>&1
        cmp m.hsp n.hsp
        halfspace predict -q m.hsp iris.csv --probability | awk -v FS='\t' '{ top = $2; name = "setosa"; if ($3 > top) { top = $3; name = "versicolor" } if ($4 > top) name = "virginica"; bad += name != $1 } END { print bad + 0, "of", NR, "disagree" }'
    done
done
# What cannot be.
halfspace train perceptron -q --average vote --calibrate platt iris.csv
halfspace train perceptron -q --stream --calibrate platt iris.csv
head -n 55 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
head -n 54 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
head -n 52 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
halfspace train perceptron -q --calibrate sometimes iris.csv
true
