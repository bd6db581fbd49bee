# A split copies records: no digit, quote, line ending or missing value changes.
awk 'BEGIN { print "ts,y"; for (i = 0; i < 2000; i++) printf "%d,%s\n", 1700000000 + i, i < 1000 ? "early" : "late" }' >tsdep.csv
halfspace split -q tsdep.csv a.csv b.csv
head -n 1 b.csv
(tail -n +2 a.csv && tail -n +2 b.csv) | sort >parts && tail -n +2 tsdep.csv | sort | cmp - parts && echo 'every digit is there'
question 'Missing values, quoted separators and newlines, a byte order mark, CR LF, labels in the first column'
printf '\357\273\277churn;"na;me";age\r\nyes;"a;b";31\r\nno;"c\nd";\r\n\r\nyes;;NA\r\n1;"say ""x""";4.50\r\n+1;q;?\r\n;r;5\r\nno;s;6' >churn.csv
halfspace split churn.csv tr.csv te.csv --label churn --test 0.4
cat te.csv
echo
halfspace split -q --label churn --test 0.4 churn.csv - te2.csv | cmp - tr.csv && cmp te.csv te2.csv && echo 'the same to a pipe'
halfspace split -q --label churn --test 0.4 - tr2.csv te2.csv <churn.csv && cmp tr.csv tr2.csv && echo 'the same from standard input'
cat churn.csv | halfspace split -q --label churn --test 0.4 - tr2.csv te2.csv && cmp te.csv te2.csv && echo 'the same from a pipe'
if gzip -k churn.csv && halfspace inspect -q --label churn --missing drop churn.csv.gz >/dev/null 2>&1; then
    halfspace split -q --label churn --test 0.4 churn.csv.gz tr.csv.gz te.csv.gz
    gzip -dc te.csv.gz | cmp - te.csv
fi
question 'A model trained on one part predicts the other'
halfspace split -q "$EXAMPLES/iris.csv" train.csv test.csv
halfspace train svm -q train.csv -o m.hsp >/dev/null
halfspace predict -q m.hsp test.csv | wc -l
