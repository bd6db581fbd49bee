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
