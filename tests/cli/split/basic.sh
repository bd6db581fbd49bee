# A split into rows for training and rows for testing.
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
question 'Each class in proportion; the parts together are the whole'
halfspace split iris.svm train.svm test.svm --test 0.2
cut -d ' ' -f 1 test.svm | sort | uniq -c
sort train.svm test.svm >both && sort iris.svm | cmp - both && echo "the whole"
question 'The same seed gives the same parts, another seed others'
halfspace split -q iris.svm train2.svm test2.svm --test 0.2 --threads 1
cmp train.svm train2.svm && cmp test.svm test2.svm && echo "the same"
halfspace split -q iris.svm train3.svm test3.svm --test 0.2 --seed 2
cmp -s test.svm test3.svm || echo "another seed, another split"
question 'A number of rows, not in proportion'
halfspace split -q iris.svm train4.svm test4.svm --test 10 --no-stratified
wc -l <test4.svm
question 'Neither a share nor a number of rows: refused'
halfspace split -q iris.svm a.svm b.svm --test 1.5
echo "exit $?"
question 'The report as JSON'
halfspace split -q --json --threads 2 iris.svm train.svm test.svm --test 0.2 |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
