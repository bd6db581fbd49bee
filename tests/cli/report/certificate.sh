# A certificate is checked while the page is made; one that does not hold is told, with status 1.
cp "$EXAMPLES/iris.csv" .
halfspace split -q iris.csv --test 0.3 train.csv test.csv
halfspace train svm -q --keep-dual --positive setosa train.csv -o m.hsp >/dev/null
halfspace certify -q train.csv --model m.hsp -o m.cert >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
told() { halfspace report -q m.hsp "$@" -o page.html | grep -E '^  (certificate|- The cert)'; grep -oE 'The certificate <code>[^<]*</code> is [a-z ]*' page.html; }
question "of these files"
told train.csv --certificate m.cert
halfspace report -q m.hsp train.csv --certificate m.cert -o page.html >/dev/null
echo "exit $?"
question "test rows that it is not about"
told train.csv --test test.csv --certificate m.cert
question "of another file"
told test.csv --certificate m.cert
halfspace report -q m.hsp test.csv --certificate m.cert -o page.html >/dev/null
echo "exit $?"
question "which certificates can be made, and how they are checked"
halfspace report -q m.hsp train.csv -o page.html >/dev/null
sed -n 's/.*<code>\(halfspace[^<]*\)<.*/\1/p' page.html
question "commands that cannot work are not there"
certificates() { sed -n '/id="certificates"/,/<.section/p' page.html | grep -o 'No c[^<]*\|halfspace[a-z-]* [cr-][^<]*'; }
{ echo 'when,x,class'; for i in $(seq 10 28); do echo "2024-03-$i,$((i % 7)),$([ $((i % 2)) = 1 ] && echo a || echo b)"; done; } >dates.csv
halfspace train perceptron -q dates.csv --date when -o dates.hsp >/dev/null 2>&1
halfspace report -q dates.hsp dates.csv -o page.html >/dev/null
certificates
printf 'x,class\n2,yes\n-2,no\n3,yes\n-1,no\n' >plus.csv
printf 'x,class\n2,yes.\n-2,no.\n' >one.csv
halfspace train perceptron -q plus.csv -o plus.hsp >/dev/null
halfspace report -q plus.hsp plus.csv --test one.csv -o page.html >/dev/null
certificates
