# A trace in a kernel's feature space is the trace of the plain perceptron on the kernel's features.
halfspace make moons -q --rows 60 --spread 0.1 --seed 4 -o moons.svm
for options in '--offset none' '--offset r2 --order shuffle' '--rate 0.5 --soft 0.5 --margin-target 0.1'; do
    kernel='poly(3,1)'
    halfspace kernel check -q "$kernel" moons.svm --precision double --features b.hsp >/dev/null
    for run in k b; do
        [ $run = k ] && set -- --kernel "$kernel" --precision double moons.svm || set -- b.hsp
        # shellcheck disable=SC2086 # words of options
        halfspace train perceptron -q --passes until-converged $options "$@" -o $run-ref.hsp >/dev/null 2>&1
        # shellcheck disable=SC2086 # words of options
        halfspace train perceptron -q --passes 3 $options --trace $run.csv --reference $run-ref.hsp "$@" >/dev/null 2>&1
    done
    head -n 1 k.csv
    paste -d , k.csv b.csv | awk -F , 'NR > 1 {
        for (i = 1; i <= 12; i++) {
            d = $i - $(i + 12)
            if (d < 0) d = -d
            if (!(d <= 1e-6 * (1 + ($i < 0 ? -$i : $i)))) bad++
        }
        if (!($7 >= $8 * (1 - 1e-9)) || !($9 <= $10 * (1 + 1e-9)) || !($11 >= $12 * (1 - 1e-9))) broken++
    } END { print (NR > 5 ? "many lines:" : NR), bad + 0, "differ,", broken + 0, "bounds broken" }'
done
# A reference of another space is none.
halfspace train perceptron -q --kernel 'rbf(1)' --passes until-converged moons.svm -o rbf.hsp >/dev/null
halfspace train perceptron -q --kernel 'rbf(2)' --trace t.csv --reference rbf.hsp moons.svm 2>&1
halfspace train perceptron -q --trace t.csv --reference rbf.hsp moons.svm 2>&1
# What a budget drops is taken from the norm.
halfspace train perceptron -q --kernel 'rbf(4)' --budget 2 --offset none --passes 1 --trace t.csv moons.svm -o m.hsp >/dev/null 2>&1
awk -F , 'NR > 1 && $5 > 2 { print "too long" } END { print (NR > 2 ? "kept short" : "nothing") }' t.csv
