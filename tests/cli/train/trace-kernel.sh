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
