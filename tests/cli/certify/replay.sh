# Claims about mistakes are about runs that happened: the checker replays them.
halfspace make separable -q --rows 60 --features 3 --seed 5 -o t.svm
halfspace certify -q t.svm >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
claim()
{
    data=$1
    shift
    halfspace train perceptron -q "$@" "$data" -o m.hsp >/dev/null 2>&1
    echo "$*: $(halfspace certify -q "$data" --model m.hsp --claim mistakes -o m.cert | grep -E 'replayed|not claimed' | sed 's/; (.*//')"
}
question 'Every order, a limit, votes, a margin, a soft margin'
for order in cyclic shuffle first worst random; do claim t.svm --order $order --passes until-converged; done
claim t.svm --max-updates 3
grep -o '"order": "sequence", "sequence": .*, "total": [0-9]*' m.cert
claim t.svm --average vote --order shuffle
claim t.svm --scale standard --offset r2 --margin-target 0.1r --order shuffle
claim t.svm --soft 0.5 --order worst
question 'Updates that no run makes: of rows that are right by then, in another order, too many, too few'
printf '1 1:3\n-1 1:-1\n-1 1:-2\n' >three.svm
claim three.svm --offset none --order shuffle --passes until-converged
bend()
{
    sed "s/\"sequence\": \[[0-9, ]*\], \"total\": [0-9]*/\"sequence\": [$1], \"total\": $2/" m.cert >bent.cert
    halfspace verify -q bent.cert three.svm 2>&1 | tail -n 1
}
bend '1' 1
bend '2, 3' 2
bend '1' 2
bend '' 0
question 'The replay shows whether the run converged'
claim t.svm --max-updates 3
grep -c converged m.cert
sed 's/"total"/"converged": true, "total"/' m.cert >bent.cert
halfspace verify -q bent.cert t.svm 2>&1 | tail -n 1
question 'Rounding that decides what is a mistake: 0.1 + 0.2 - 0.3 is 0 in the file, and not in doubles'
printf -- '1 1:0.1 2:0.2 3:-0.3\n1 1:1 2:1 3:1\n-1 1:-1 2:-2 3:-1\n' >round.svm
claim round.svm --offset none --precision double --passes 2
question 'A model of other rows'
halfspace make separable -q --rows 60 --features 3 --seed 6 -o other.svm
halfspace train perceptron -q --order shuffle t.svm -o m.hsp >/dev/null 2>&1
halfspace certify -q other.svm --model m.hsp --claim mistakes
