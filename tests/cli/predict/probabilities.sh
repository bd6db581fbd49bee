# Probabilities: by a link, by calibration; the class predicted is the most probable one.
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
    halfspace predict -q $calibrate.hsp iris.csv --probability >p
    awk -v FS='\t' '{ if ($1 == "virginica" ? $3 <= 0.5 : $2 < 0.5) bad++; if (($2 + $3 - 1) ^ 2 > 1e-20) bad++ } END { print bad + 0, "of", NR, "disagree" }' p
    halfspace eval -q $calibrate.hsp iris.csv | grep -e loss -e Brier
    halfspace eval -q $calibrate.hsp iris.csv --json | sed -En 's/"(log_loss|brier)": (0\.[0-9]{6}).*/\1 \2/p'
    halfspace model show $calibrate.hsp | grep -e probabilities -e predicted
    # the same mistakes in the training report, in eval and in the table of predictions
    sed -n 's/.*training error *\([0-9.]*%\).*/training \1/p' $calibrate.out
    halfspace eval -q $calibrate.hsp iris.csv | grep -e mistakes -e '^  error'
    sed '1d' iris.csv | cut -d, -f5 | paste - p | awk '$1 != "setosa" && $1 != $2' | wc -l
    halfspace model form $calibrate.hsp --to unit -o unit.hsp
    halfspace eval -q unit.hsp iris.csv | grep -e loss -e Brier
done
question 'Three classes, in every way that there is'
for multiclass in native ovr ovo; do
    for calibrate in platt isotonic; do
        halfspace train perceptron -q --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o m.hsp >/dev/null 2>&1
        halfspace train perceptron -q --threads 2 --multiclass $multiclass --average average --calibrate $calibrate iris.csv -o n.hsp >/dev/null 2>&1
        cmp m.hsp n.hsp
        halfspace predict -q m.hsp iris.csv --probability | awk -v FS='\t' '{ top = $2; name = "setosa"; if ($3 > top) { top = $3; name = "versicolor" } if ($4 > top) name = "virginica"; bad += name != $1 } END { print bad + 0, "of", NR, "disagree" }'
    done
done
question 'A threshold on the probability of the positive class: in predict, in eval, with a link, without probabilities'
for threshold in 0.1 0.5 0.9; do
    halfspace predict -q platt.hsp iris.csv --threshold $threshold --probability >p
    awk -v FS='\t' -v t=$threshold '{ bad += ($1 == "virginica") != ($3 > t); n += $1 == "virginica" } END { print bad + 0, "wrong,", n, "virginica" }' p
    halfspace eval -q platt.hsp iris.csv --threshold $threshold | awk '/Confusion/ { matrix = 1 } matrix && /^  v/ { print $1, $2, $3 }'
done
halfspace predict -q plain.hsp iris.csv --link logistic --threshold 0.001 | sort | uniq -c | sed 's/^ *//'
halfspace predict -q plain.hsp iris.csv --threshold 0.2
halfspace eval -q plain.hsp iris.csv --threshold 0.2
halfspace eval -q platt.hsp iris.csv --threshold 0
halfspace eval -q m.hsp iris.csv --threshold 0.2
question 'Statements about the sign of the score are not made of a model that decides otherwise'
halfspace bound -q platt.hsp --train iris.csv | grep -c 'the model decides by its probabilities'
halfspace certify -q --model platt.hsp --claim error --test iris.csv iris.csv
# Other programs: LIBSVM has Platt's parameters.
halfspace model export platt.hsp --format libsvm -o platt.libsvm
sed -n 's/^\(prob[AB]\) \(-*[0-9]*\.[0-9]\{4\}\).*/\1 \2/p' platt.libsvm
halfspace model export isotonic.hsp --format liblinear -o isotonic.liblinear
question 'What cannot be'
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
