# Values that cannot be tuned are refused.
cp "$EXAMPLES/iris.csv" .
question 'Lists and ranges of values'
for spec in C C= D=1,2 C=1:2 C=1:2:lg:3 C=0:1:log:3 C=2:1:lin:3 C=1:2:lin:x loss=log C=1,1.0 seed=1,2 weight=balanced; do
    halfspace tune svm -q --tune $spec iris.csv 2>&1; echo "exit $?"
done
question 'Nothing to tune, or an option that is both set and tuned'
halfspace tune svm -q --hard iris.csv 2>&1; echo "exit $?"
halfspace tune svm -q --C 1 --tune C=1,2 iris.csv 2>&1; echo "exit $?"
question 'The data as the output'
halfspace tune svm -q --tune C=1,2 iris.csv -o iris.csv 2>&1; echo "exit $?"
ls -A
