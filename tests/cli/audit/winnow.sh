# A disjunction, named by its columns: every bound that applies holds, and each step of its proof.
halfspace make disjunction --rows 1000 --features 300 --relevant 3 --seed 5 -q -o d.svm
halfspace train winnow -q --passes until-converged --variant winnow1 --order worst d.svm -o w1.hsp >/dev/null
columns=$(halfspace model show w1.hsp |
    awk '/^Weights/ {on = 1; next} on && n < 3 {printf "%s%s", n++ ? "," : "", $1}')
echo "columns $columns"
halfspace train winnow -q --passes until-converged --order worst d.svm -o w.hsp >/dev/null
halfspace audit -q w.hsp d.svm --disjunction "$columns"
echo "exit $?"
halfspace audit -q w1.hsp d.svm --disjunction "$columns" | grep -E '^  (disjunction|demotions) .*held'
halfspace train winnow -q --passes until-converged --delta 0.2 d.svm -o slow.hsp >/dev/null
halfspace audit -q slow.hsp d.svm --disjunction "$columns" --json | grep -E '"(reference|disjunction|updates|held|applying|exceeded)"' | head -6
halfspace train winnow -q --passes until-converged --variant balanced --delta 0.1 d.svm -o b.hsp >/dev/null
halfspace audit -q b.hsp d.svm --disjunction "$columns" | grep -cE '^  (separator|squared|progress|total) .*held'
# A separator that was learned may stand for the disjunction.
halfspace audit -q w.hsp d.svm --reference slow.hsp | tail -1
# Tampered with: a count, a weight's worth of updates.
updates=$(halfspace model show w.hsp | awk '$1 == "updates" {print $2}')
sed "s/\"fact.updates\":\"$updates\"/\"fact.updates\":\"99\"/" w.hsp >tampered.hsp
halfspace audit -q tampered.hsp d.svm --disjunction "$columns" | grep -o EXCEEDED | sort | uniq -c | tr -s ' '
halfspace audit -q tampered.hsp d.svm --disjunction "$columns" >out
echo "exit $?"
halfspace audit -q w.hsp d.svm --disjunction 301
echo "exit $?"
halfspace audit -q w.hsp d.svm --disjunction 1 --reference w.hsp
echo "exit $?"
# A small value takes many updates: the shift is that of the weights there are.
printf 'a,class\n0.0005,yes\n0,no\n' >small.csv
halfspace train winnow -q --passes until-converged --max-passes 100000 small.csv -o small.hsp | grep updates
halfspace audit -q small.hsp small.csv --disjunction a | tail -1
