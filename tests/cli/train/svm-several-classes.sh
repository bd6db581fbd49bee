# The support vector machine on three classes.
cp "$EXAMPLES/iris.csv" .
question 'Each multiclass method'
for way in ovr ovo crammer-singer; do
    halfspace train svm -q --multiclass $way iris.csv | grep -E 'on iris|training'
done
question 'The pairs of one-vs-one have the same C or the same lambda, whichever was given'
head -n 120 iris.csv >uneven.csv
halfspace train svm -q --multiclass ovo --C 2 uneven.csv | grep -E '^  (C|lambda)'
halfspace train svm -q --multiclass ovo --lambda 0.1 uneven.csv | grep -E '^  (C|lambda)'
