# Hulls of two classes: nearest points (the margin of a square and a point is 0.5), common points, certificates.
printf '1 1:0 2:0\n1 1:0 2:1\n1 1:-1 2:0\n1 1:-1 2:1\n-1 1:1 2:0.5\n' >apart.svm
printf '1 1:1 2:1\n1 1:3 2:3\n-1 1:1 2:3\n-1 1:3 2:1\n' >cross.svm
halfspace certify -q cross.svm -o cross.cert >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
question 'nearest points'
halfspace plot -q hulls apart.svm -o a.svg && grep -o 'widest margin[^<]*\|nearest points[^<]*' a.svg | sort -u
question 'a common point, as mixtures of rows of both classes'
halfspace plot -q hulls cross.svm -o b.svg && grep -o 'not separable[^<]*' b.svg
question 'a certificate is verified first'
halfspace plot -q hulls cross.svm cross.cert -o c.svg && grep -o 'the certificate was verified in exact arithmetic' c.svg
halfspace plot -q hulls apart.svm cross.cert -o d.svg 2>&1; echo "exit $?"
sed 's/\[1, "[0-9]*"\]/[1, "7"]/' cross.cert >false.cert
halfspace plot -q hulls cross.svm false.cert -o d.svg 2>&1 | cut -c 1-60
question 'more than two features: the plane of the separator; more than two classes: which'
cp "$EXAMPLES/iris.csv" .
halfspace plot -q hulls iris.csv --positive setosa -o e.svg && grep -o 'widest margin[^<]*\|signed distance[^<]*' e.svg | sort -u
halfspace plot -q hulls iris.csv --classes setosa,virginica --x 1 --y 2 --width 1000 -o f.svg && grep -o 'hulls that are apart may overlap' f.svg
halfspace plot -q hulls iris.csv --classes versicolor,virginica --width 2000 -o h.svg && grep -o 'not separable[^<;]*\|that holds for[^<]*\|may overlap' h.svg
halfspace plot -q hulls iris.csv 2>&1; echo "exit $?"
question 'a row in both classes, rows on one line, one row per class, one class'
printf '1 1:1 2:1\n-1 1:1 2:1\n' >same.svm; printf '1 1:1 2:1\n1 1:2 2:2\n1 1:3 2:3\n-1 1:4 2:4\n-1 1:5 2:5\n' >line.svm; printf '1 1:1\n-1 1:2\n' >two.svm; printf '1 1:1 2:2\n1 1:2 2:1\n' >one.svm
for rows in same line two; do halfspace plot -q hulls $rows.svm -o g-$rows.svg && grep -o 'widest margin[^<]*\|not separable[^<]*' g-$rows.svg; done
halfspace plot -q hulls one.svm 2>&1; echo "exit $?"
grep -l -i -E '[ "]-?(nan|inf)' *.svg || echo "all numbers are finite"
