exec 2>&1
cp "$EXAMPLES/iris.csv" .
halfspace train logistic -q --positive virginica iris.csv -o l.hsp >/dev/null
halfspace train svm -q --positive virginica iris.csv -o s.hsp >/dev/null
halfspace train svm -q iris.csv -o three.hsp >/dev/null
for threshold in 0.4 best-f1 best-mcc cost=1:5; do
    halfspace eval -q l.hsp iris.csv --threshold "$threshold" | grep -E 'threshold|mistakes|precision  |recall  '
done
# A model without probabilities: on the score.
halfspace eval -q s.hsp iris.csv --threshold best-f1 | grep -E 'threshold|F1  '
halfspace eval -q s.hsp iris.csv --threshold best-f1 --json | grep threshold
# Kept in a model, predict uses it.
halfspace eval l.hsp iris.csv --threshold cost=1:5 --save-model t.hsp 2>&1 >/dev/null | grep -v note
halfspace eval -q t.hsp iris.csv | grep threshold
halfspace predict -q t.hsp iris.csv | sort | uniq -c
halfspace eval -q t.hsp iris.csv | grep -A 3 Confusion
# What cannot be.
halfspace eval -q s.hsp iris.csv --threshold best-f1 --save-model t.hsp >/dev/null
halfspace eval -q l.hsp iris.csv --save-model t.hsp
halfspace eval -q l.hsp iris.csv --threshold best
halfspace eval -q l.hsp iris.csv --threshold cost=1
halfspace eval -q l.hsp iris.csv --threshold 1.5
halfspace eval -q three.hsp iris.csv --threshold best-f1
