# Every solver writes its passes; the last line has the figures of the report, and the model is the same without it.
halfspace make halfspace -q --rows 300 --features 4 --noise 0.1 --seed 3 -o two.svm
printf 'x,y,label\n0,0,a\n1,0,a\n5,5,b\n6,5,b\n0,6,d\n1,7,d\n' > three.csv
look() {
    halfspace train "$@" -q --json -o with.hsp --convergence log.csv > with.json 2>/dev/null
    halfspace train "$@" -q -o without.hsp > without.out 2>/dev/null
    cmp with.hsp without.hsp && echo "$*"
    wanted=$(sed -n 's/^ *"gap": \([^,]*\),.*/\1/p' with.json | head -n 1)
    sed 's/"\([^"]*\), \([^"]*\)"/\1-\2/' log.csv | awk -F , -v wanted="$wanted" 'NR > 1 && $1 != of { of = $1; problems++ }
        NR > 1 && $4 != "" && $4 * (1 + 1e-9) < $5 { above++ }
        { last = $6 }
        END {
            if (problems == 1 && !(last - wanted <= 1e-9 && wanted - last <= 1e-9)) print "gap", last, "and not", wanted
            print problems, (problems > 1 ? "problems," : "problem,"), "more than one line each:", (NR > 2 * problems ? "yes," : "no,"), above + 0, "bounds above the objective"
        }'
}
for options in '' '--solver dcd' '--solver dcd --loss squared' '--solver newton' '--solver pegasos --max-passes 20' '--kernel rbf'; do
    # shellcheck disable=SC2086 # words of options
    look svm two.svm $options
done
look logistic two.svm
look logistic two.svm --penalty l1
look logistic three.csv
look svm three.csv --multiclass crammer-singer
look svm three.csv --multiclass ovo
look svm three.csv --hard --classes a,b
look logistic two.svm --calibrate platt
sed 's/b$/"b, c"/' three.csv > comma.csv
halfspace train svm comma.csv -q --convergence - | sed 's/,[a-z]*,[0-9]*,.*//' | uniq
halfspace cv svm two.svm --convergence log.csv 2>&1
halfspace tune svm two.svm --tune convergence=a,b 2>&1
halfspace train svm two.svm --convergence two.svm 2>&1
