#!/bin/sh
# The main job on Fisher's irises, step by step; `make demo` runs this. What it writes goes to a
# folder of its own, named at the end.
#   examples/iris.sh [COMMAND]       COMMAND: the halfspace to use, by default the one in the PATH
set -eu
halfspace=$(command -v "${1:-halfspace}") || { echo 'iris.sh: there is no halfspace; make it first' >&2; exit 1; }
halfspace=$(cd "$(dirname "$halfspace")" && pwd)/$(basename "$halfspace")
work=$(mktemp -d "${TMPDIR:-/tmp}/halfspace-iris.XXXXXX")
cp "$(dirname "$0")/iris.csv" "$work"
cd "$work"

say() { printf '\n# %s\n' "$@"; }

# Show a command as one would type it, then run it.
run()
{
    printf '$ halfspace'
    printf ' %s' "$@"
    printf '\n'
    "$halfspace" "$@" 2>&1
}

say 'What is in the file?'
run inspect iris.csv

say 'Setosa against the rest. A plane separates them, so the perceptron must end, and it does.'
run train perceptron --positive setosa --passes until-converged iris.csv -o setosa.hsp
say 'How wide is the margin that it found?'
run eval -q setosa.hsp iris.csv
say 'Did the run keep what its theorem promises? (w* is the separator that it found.)'
run audit -q setosa.hsp iris.csv --reference setosa.hsp
say 'Two of the four features, and where the decision changes:'
run plot -q setosa.hsp iris.csv --x petal_length --y petal_width

say 'Versicolor against virginica: no plane separates them, and the run says so.'
run train perceptron -q --classes versicolor,virginica --order shuffle iris.csv -o last.hsp
say 'The average of all separators on the way does better than the last one,'
run train perceptron -q --classes versicolor,virginica --order shuffle --average average iris.csv -o average.hsp
say 'and with a coordinate of its own for every row (--soft) the run ends.'
run train perceptron -q --classes versicolor,virginica --order shuffle --soft 1 --passes until-converged iris.csv -o soft.hsp
say 'The averaged boundary:'
run plot -q average.hsp iris.csv --x petal_length --y petal_width

say 'How wide can the margin be? The hard machine finds the widest separator of setosa, and proves it.'
run train svm -q --hard --gap 1e-6 --positive setosa iris.csv -o widest.hsp
say 'Of the other two there is none, and these rows show it: both classes have a common mean. (Status 1: no.)'
run train svm -q --hard --classes versicolor,virginica iris.csv || true
say 'What C is best for all three, by cross-validation?'
run tune svm -q --tune C=1e-2:1e3:log:6 iris.csv -o tuned.hsp

say 'A model reads raw files: hold out three rows in ten of all three species, learn, predict.'
run split -q iris.csv train.csv test.csv --test 0.3
run train perceptron -q --scale standard --order shuffle --average average train.csv -o species.hsp
run predict -q species.hsp test.csv -o predictions.txt
run eval -q species.hsp test.csv
verify=$(dirname "$halfspace")/halfspace-verify
if [ -x "$verify" ]; then # a build without GMP has no certificates
    say 'What of all this can anybody check? Setosa is separable, the widest margin is known, and the' \
        'perceptron kept its promise: a certificate says so, with the evidence in exact numbers.'
    run certify -q iris.csv --model setosa.hsp -o setosa.cert
    say 'Versicolor and virginica are not: these rows, with these multipliers, have a point in common.'
    run certify -q iris.csv --classes versicolor,virginica -o pair.cert
    sed -n '/"multipliers"/p' pair.cert
    say 'Another program, which shares nothing with this one, agrees.'
    for certificate in setosa.cert pair.cert; do
        printf '$ halfspace-verify %s iris.csv\n' "$certificate"
        "$verify" "$certificate" iris.csv
    done
fi
printf '\nThe files are in %s.\n' "$work"
