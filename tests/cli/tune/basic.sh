# A table of what was tried, and a model that is what train makes with what was chosen.
cp "$EXAMPLES/iris.csv" .
halfspace tune svm -q --classes versicolor,virginica --tune C=0.01:100:log:5 iris.csv -o m.hsp
halfspace tune svm -q --classes versicolor,virginica --tune C=10,0.5,0.1,1 --choose one-standard-error --threads 4 iris.csv -o s.hsp
halfspace train svm -q --classes versicolor,virginica --C 0.5 iris.csv -o t.hsp >/dev/null
for model in s t; do halfspace predict -q --scores $model.hsp iris.csv >$model.txt; done
cmp s.txt t.txt && echo "as train"
halfspace model show --json s.hsp | grep -c '"tuning"'
halfspace tune perceptron -q --tune average=none,average --tune passes=1,10 --order shuffle --folds 3 iris.csv 2>&1
halfspace tune svm -q --json --tune loss=hinge,squared --tune C=1,10 --folds 2 iris.csv -o j.hsp |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/; s/("threads": )[0-9]+/\1N/'
# A separator that is demanded and not there: status 1, and no file.
halfspace tune svm -q --tune hard=yes --classes versicolor,virginica --folds 2 iris.csv -o none.hsp 2>&1; echo "exit $?"
halfspace make xor --rows 40 --seed 1 -q -o x.svm
halfspace tune svm -q --tune hard=yes --folds 2 x.svm 2>&1; echo "exit $?"
# What cannot be tuned.
for spec in C C= D=1,2 C=1:2 C=1:2:lg:3 C=0:1:log:3 C=2:1:lin:3 C=1:2:lin:x loss=log C=1,1.0 seed=1,2 weight=balanced; do
    halfspace tune svm -q --tune $spec iris.csv 2>&1; echo "exit $?"
done
halfspace tune svm -q iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --C 1 --tune C=1,2 iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --tune C=1,2 iris.csv -o iris.csv 2>&1; echo "exit $?"
ls -A
