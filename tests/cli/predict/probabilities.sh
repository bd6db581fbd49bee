# Probabilities of two classes, by a link or by calibration.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard iris.csv -o plain.hsp >/dev/null 2>&1
question 'A model without calibration: --probability and --link need each other'
halfspace predict -q plain.hsp iris.csv --probability
halfspace predict -q plain.hsp iris.csv --link probit
question 'Each link'
for link in logistic probit step; do
    halfspace predict -q plain.hsp iris.csv --probability --link $link | awk -v FS='\t' 'NR == 51 || NR == 101 { printf "%s %.6g %.6g\n", $1, $2, $3 }'
done
halfspace predict -q plain.hsp iris.csv -o labels
halfspace predict -q plain.hsp iris.csv --probability --link logistic | cut -f 1 | cmp - labels && echo 'the predicted classes are the same'
question 'Each calibration: the predicted class is the more probable one, in training, eval, predict and other forms of the model'
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
