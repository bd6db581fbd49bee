# One-vs-one: one separator per pair of classes, votes, one score per class.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --multiclass ovo --passes 100 iris.csv -o pairs.hsp 2>&1
halfspace eval -q pairs.hsp iris.csv
halfspace model show pairs.hsp --weights 1 | grep -e decided -e Score
halfspace model show pairs.hsp --weights 0 --json | grep -e pairs -e class\" -e against
halfspace predict -q pairs.hsp iris.csv --scores | sed -n '1p;71p;120p'
halfspace eval -q pairs.hsp iris.csv --json | grep '^  "[a-z_]*": null'
question 'Each pair is the run on its two classes'
for two in setosa,versicolor setosa,virginica versicolor,virginica; do
    halfspace train perceptron -q --classes $two --passes 100 iris.csv -o two.hsp >/dev/null 2>&1
    halfspace model show two.hsp --weights 0 --json | grep ' "offset"'
done
halfspace model show pairs.hsp --weights 0 --json | grep ' "offset"'
question 'The same bytes on any number of threads; the same predictions in other forms'
halfspace train perceptron -q --threads 3 --multiclass ovo --passes 100 iris.csv -o again.hsp >/dev/null 2>&1
cmp pairs.hsp again.hsp
halfspace model form pairs.hsp --to homogeneous -o form.hsp
halfspace predict -q pairs.hsp iris.csv -o a
halfspace predict -q form.hsp iris.csv | cmp - a
halfspace model form pairs.hsp --to threshold -o form.hsp
