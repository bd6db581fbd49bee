# Names in a kernel are tuned like options.
cp "$EXAMPLES/iris.csv" .
halfspace tune svm -q --kernel 'rbf(gamma)' --tune gamma=1e-3:10:log:5 --folds 3 iris.csv
question 'Several names; C runs fastest'
halfspace tune svm -q --kernel 'poly(d, c)' --tune d=1,2 --tune c=0,1 --tune C=1,10 --folds 2 iris.csv -o m.hsp
halfspace model show m.hsp | grep kernel
question 'A name without values, a value that is none, a name that is not there'
halfspace tune svm -q --kernel 'poly(d, c)' --tune d=1,2 iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --kernel 'poly(d, c)' --tune d=1,x --tune c=1 iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --kernel 'poly(d, 1)' --tune e=1,2 iris.csv 2>&1; echo "exit $?"
