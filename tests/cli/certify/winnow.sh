# The mistakes of winnow, within the bound of a separator that certify finds; or why no bound applies.
cp "$EXAMPLES/iris.csv" .
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
claim()
{
    data=$1
    shift
    halfspace train winnow -q --passes until-converged --max-passes 500 "$@" "$data" -o m.hsp >/dev/null 2>&1
    echo "$data $*"
    rm -f m.cert
    halfspace certify -q "$data" --model m.hsp --claim mistakes -o m.cert | grep -vE '^(data|model|transform|verified)'
    [ ! -e m.cert ] || halfspace verify -q m.cert "$data" | tail -n 1
}
question 'Two of three columns are on'
printf '%s\n' -1 '-1 3:1' '-1 2:1' '1 2:1 3:1' '-1 1:1' '1 1:1 3:1' '1 1:1 2:1' '1 1:1 2:1 3:1' >two.svm
claim two.svm --delta 0.5
grep separator m.cert
claim two.svm --delta 0.25 --order worst
claim two.svm
claim two.svm --variant winnow1
claim two.svm --variant balanced --delta 0.12
grep separator m.cert
question 'The same with another b; with another number of updates; with a pass too few'
sed 's/"-1"}/"-3"}/' m.cert >bent.cert
halfspace verify -q bent.cert two.svm 2>&1 | tail -n 1
sed 's/"total": 24/"total": 25/' m.cert >bent.cert
halfspace verify -q bent.cert two.svm 2>&1 | tail -n 1
sed 's/"passes": [0-9]*/"passes": 1/' m.cert >bent.cert
halfspace verify -q bent.cert two.svm 2>&1 | tail -n 1
question 'Shuffled: the rows that were updated, in order; and another row first'
claim two.svm --variant balanced --delta 0.12 --order shuffle
grep -o '"order".*' m.cert | cut -c 1-60
sed 's/"sequence": \[\([0-9]*\), /"sequence": [1, /' m.cert >bent.cert
halfspace verify -q bent.cert two.svm 2>&1 | tail -n 1
claim two.svm --variant balanced
claim two.svm --variant balanced --offset none --delta 0.01
question 'Values between 0 and 1; a column that is 0 on all negative rows'
printf '%s\n' '1 1:0.5 2:1' '1 1:1 2:.25' '-1 2:1' '-1 2:0.5' >half.svm
for variant in winnow1 winnow2; do claim half.svm --variant $variant; done
question 'Scaled columns are clipped to [0,1]'
claim iris.csv --variant balanced --delta 0.1 --scale min-max --classes setosa,virginica
claim iris.csv --variant balanced --delta 0.1 --scale min-max --classes versicolor,virginica
question 'A disjunction is a separator, too'
halfspace make disjunction -q --rows 300 --features 40 --relevant 3 --seed 2 -o or.svm
for options in '--delta 1' '--variant winnow1 --delta 0.1'; do
    # shellcheck disable=SC2086 # words
    claim or.svm $options | cut -c1-120
    grep -oE '"(disjunction|separator)"' m.cert
done
