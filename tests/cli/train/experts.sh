# A panel of experts: by hand, streamed, audited, predicted with; what is refused.
cp "$EXAMPLES/iris.csv" .
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace train experts -q five.csv -o five.hsp --trace trace.csv
cut -d, -f1-9 trace.csv
halfspace model show -q five.hsp | tail -n 6
halfspace predict -q five.hsp five.csv --scores
halfspace audit -q five.hsp five.csv --json | grep -cE '"held": true'
# The votes are the model's: other numbers of the same signs are the same row.
printf 'a,b,c,d,e,class\n0.25,9,-1,0,-3,yes\n' | halfspace predict -q five.hsp - --scores
question 'The same from a stream, and by single bits; chance is seeded'
halfspace convert -q five.csv five.svm
weights() { halfspace model show --weights all --json "$1" | sed -n '/"weights"/,/]/p'; }
halfspace train experts -q --votes bit five.svm -o whole.hsp >/dev/null
halfspace train experts -q --votes bit --classes no,yes --stream five.svm -o stream.hsp | grep bound
weights whole.hsp >one && weights stream.hsp | cmp - one && echo "same weights"
halfspace audit -q stream.hsp five.svm | tail -n 1
halfspace train experts -q --randomized --seed 7 five.csv >one
halfspace train experts -q --randomized --seed 7 five.csv | cmp - one && grep -E 'expected' one
question 'More classes, a negation that is the best, cross-validation'
halfspace train experts -q --scale standard --negated iris.csv -o iris.hsp
halfspace eval -q iris.hsp iris.csv | sed -n 2,4p
halfspace train experts -q --scale standard --negated --positive setosa iris.csv -o setosa.hsp | grep -E 'best|its|mistakes'
halfspace audit -q setosa.hsp iris.csv | tail -n 1
halfspace cv experts -q --scale standard --negated --positive setosa iris.csv --folds 3 | sed -n 2,4p
question 'What is not believed, and what is refused'
sed 's/"fact.mistakes":"2"/"fact.mistakes":"1"/' five.hsp >tampered.hsp
halfspace audit -q tampered.hsp five.csv | grep -E 'EXCEEDED'
halfspace audit -q five.hsp five.csv --reference five.hsp 2>&1
halfspace audit -q iris.hsp iris.csv 2>&1
halfspace train experts -q --stream --classes no,yes five.svm 2>&1
halfspace train experts -q --stream --votes bit five.svm 2>&1
halfspace train experts -q --randomized iris.csv 2>&1
halfspace train experts -q --beta 1 five.csv 2>&1
halfspace model export -q five.hsp --format liblinear -o out.model 2>&1
echo "exit $?"
