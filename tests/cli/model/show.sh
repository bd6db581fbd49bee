cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
hide() { sed -E 's/(version"?:? +"?)[0-9.]+/\1N/'; }
# does it show the facts, the options and the weights, and as many of them as are asked for?
halfspace model show m.hsp | hide
halfspace model show m.hsp --weights 1 | tail -n 4
halfspace model show m.hsp --weights 2 --json | hide
# does it say of a sparse model how many weights are 0?
printf '1 3:2\n2 7:1\n3 9:1\n' | halfspace train perceptron -q --passes until-converged - -o s.hsp >/dev/null
halfspace model show s.hsp | sed -n '/^Score/,$p'
# does it say that the weights of a vote are only the last ones?
halfspace train perceptron -q --average vote --order shuffle iris.csv -o v.hsp >/dev/null 2>&1
halfspace model show v.hsp | sed -n '2p;/^Of all/p'
# does it list the actions without one?
halfspace model
# are names that JSON escapes shown as names, harmlessly?
printf '\001"\\x 1:1\n2 1:-1\n' >odd.svm
halfspace train perceptron -q odd.svm --positive "$(printf '\001"\\x')" -o odd.hsp >/dev/null
halfspace model show odd.hsp | grep '^  positive'
# does it refuse what is not a model?
halfspace convert -q iris.csv iris.hsp
head -c 300 m.hsp >cut.hsp
for file in iris.csv iris.hsp cut.hsp nowhere.hsp; do
    halfspace model show $file
    echo "exit $?"
done 2>&1
