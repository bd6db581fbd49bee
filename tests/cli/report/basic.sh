# A page on a model, with a test file and without, and what --json says of it.
cp "$EXAMPLES/iris.csv" .
halfspace split -q iris.csv --test 0.3 --stratified train.csv test.csv
halfspace train logistic -q train.csv -o iris.hsp >/dev/null
question "with a test file"
halfspace report -q iris.hsp train.csv --test test.csv -o iris.html | sed 's/, [0-9.]* kB, [0-9]* figures*//'
question "without one: these are the training rows"
halfspace report -q iris.hsp train.csv -o rows.html --json | grep -E '"(measured|trained_on|rows|mistakes|certificate)"'
question "the sections"
sed -n 's/.*<h2 id="[a-z]*-title">\(.*\)<\/h2>.*/\1/p' iris.html
question "nothing is loaded from elsewhere, and there are no scripts"
grep -cE '(src|href)="[^#]|@import|url\(|<script|<link' iris.html
question "every number is one"
grep -ciE '>-?(nan|inf|infinity)[<%]|NaN' iris.html
question "the same bytes again, with one thread"
halfspace report -q --threads 1 iris.hsp train.csv --test test.csv -o again.html >/dev/null
cmp iris.html again.html && echo same
question "the commands of the page train the same model and make the same page"
cp iris.hsp first.hsp
sed -n 's/.*<code>\(halfspace train [^<]*\)<.*/\1/p; s/.*<code>\(halfspace report [^<]*\)<.*/\1/p' iris.html >commands
sh commands >/dev/null 2>&1
cmp first.hsp iris.hsp && cmp iris.html report.html && echo same
question "a threshold: what is decided by it, and what is without it"
halfspace train logistic -q iris.csv --positive virginica --ignore petal_length,petal_width -o two.hsp >/dev/null
halfspace eval -q two.hsp iris.csv --threshold best-f1 --save-model t.hsp >/dev/null
halfspace report -q t.hsp iris.csv -o t.html >/dev/null
grep -o 'The model predicts [^<]*\|positive if [^<]*\|The model does not decide [^<]*\|The threshold on [^<]*\|score of the wrong sign' t.html
halfspace report -q two.hsp iris.csv -o two.html >/dev/null
grep -o 'The model predicts [^<]*\|positive if [^<]*\|The model does not decide [^<]*\|The threshold on [^<]*\|score of the wrong sign' two.html
question "the plane of many rows is that of plot"
awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 6000; i++) print i < 4000 ? i % 7 "," i % 11 "," i % 5 "," i % 2 : 99 * (i % 3) "," 99 * (i % 3) "," i % 5 "," i % 2 }' >many.csv
halfspace train svm -q many.csv -o many.hsp >/dev/null
halfspace report -q many.hsp many.csv -o many.html >/dev/null
halfspace plot -q many.hsp many.csv -o many.svg
for page in many.html many.svg; do grep -o '>principal axis 1[^<]*\|2,000 of 6,000 rows shown[^<;]*' $page | sort -u; done
