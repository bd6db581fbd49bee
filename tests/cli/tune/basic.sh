# Tuning prints a table of the points that were tried and trains a model with the chosen options.
cp "$EXAMPLES/iris.csv" .
halfspace tune svm -q --classes versicolor,virginica --tune C=0.01:100:log:5 iris.csv -o m.hsp
question 'The simplest point within one standard error; the model is the one that train makes with it'
halfspace tune svm -q --classes versicolor,virginica --tune C=10,0.5,0.1,1 --choose one-standard-error --threads 4 iris.csv -o s.hsp
halfspace train svm -q --classes versicolor,virginica --C 0.5 iris.csv -o t.hsp >/dev/null
for model in s t; do halfspace predict -q --scores $model.hsp iris.csv >$model.txt; done
cmp s.txt t.txt && echo "as train"
halfspace model show --json s.hsp | grep -c '"tuning"'
question 'Two options together; points that did not converge'
halfspace tune perceptron -q --tune average=none,average --tune passes=1,10 --order shuffle --folds 3 iris.csv 2>&1
question 'The report as JSON'
halfspace tune svm -q --json --tune loss=hinge,squared --tune C=1,10 --folds 2 iris.csv -o j.hsp |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/; s/("threads": )[0-9]+/\1N/'
question 'No other files are left'
ls -A
