cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
hide() { sed -E 's/(version"?:? +"?)[0-9.]+/\1N/'; }
halfspace model show m.hsp | hide
halfspace model show m.hsp --weights 1 | tail -n 4
halfspace model show m.hsp --weights 2 --json | hide
# A sparse model says how many weights are 0.
printf '1 3:2\n2 7:1\n3 9:1\n' | halfspace train perceptron -q --passes until-converged - -o s.hsp >/dev/null
halfspace model show s.hsp | sed -n '/^Score/,$p'
halfspace train perceptron -q --average vote --order shuffle iris.csv -o v.hsp >/dev/null 2>&1
halfspace model show v.hsp | sed -n '2p;/^Of all/p'
halfspace model
# Names that JSON escapes are shown as names, harmlessly.
printf '\001"\\x 1:1\n2 1:-1\n' >odd.svm
halfspace train perceptron -q odd.svm --positive "$(printf '\001"\\x')" -o odd.hsp >/dev/null
halfspace model show odd.hsp | grep '^  positive'
# Not a model.
halfspace convert -q iris.csv iris.hsp
head -c 300 m.hsp >cut.hsp
for file in iris.csv iris.hsp cut.hsp nowhere.hsp; do
    halfspace model show $file
    echo "exit $?"
done 2>&1
