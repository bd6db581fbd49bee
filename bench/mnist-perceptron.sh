#!/bin/sh
# The perceptron on MNIST's ten digits, one against the rest, pixels divided by 255, in the order of the file:
#   bench/mnist-perceptron.sh BUILD SETS
#
# SETS has mnist/mnist and mnist/mnist.t as libsvm text, compressed or not: 60,000 digits to learn from, 10,000 to
# test. Each pixel p becomes the double nearest to p/255, written with all its digits; so the figures are those
# of the data, not of a rounding, and repeat to the last digit. Known: averaged about 8.4% after one pass,
# about 8.1% after ten; the last separator 14% to 16%, by luck of the order.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2
halfspace=$build/halfspace
work=build/bench/tasks
mkdir -p "$work"

# divided NAME: $work/NAME-255.svm.
divided()
{
    [ ! -s "$work/$1-255.svm" ] || return 0
    for packed in "$sets/mnist/$1" "$sets/mnist/$1.xz" "$sets/mnist/$1.zst" "$sets/mnist/$1.gz"; do
        [ -s "$packed" ] || continue
        "$halfspace" convert -q --to libsvm "$packed" "$work/$1-raw.svm"
        awk '{
            printf "%s", $1
            for (i = 2; i <= NF; i++) {
                split($i, entry, ":")
                printf " %s:%.17g", entry[1], entry[2] / 255
            }
            print ""
        }' "$work/$1-raw.svm" >"$work/$1-255.tmp"
        rm "$work/$1-raw.svm"
        mv "$work/$1-255.tmp" "$work/$1-255.svm"
        return 0
    done
    echo "mnist-perceptron.sh: no mnist/$1 in $sets" >&2
    exit 2
}

divided mnist
divided mnist.t
printf '%-34s %10s %10s %12s %14s\n' 'MNIST, 10 classes, one-vs-rest' passes updates 'test error' 'train seconds'
for average in average none; do
    for passes in 1 10; do
        "$halfspace" train perceptron -q --json --multiclass ovr --average $average --passes $passes \
            --precision double "$work/mnist-255.svm" -o "$work/mnist-255.hsp" >"$work/train.json" 2>/dev/null
        "$halfspace" eval -q --json --precision double "$work/mnist-255.hsp" "$work/mnist.t-255.svm" >"$work/eval.json"
        value() { sed -n "s/.*\"$2\": *\([0-9.e-]*\).*/\1/p" "$1" | head -1; }
        printf '%-34s %10s %10s %11.2f%% %14.2f\n' "$([ $average = none ] && echo last || echo averaged)" \
            "$(value "$work/train.json" passes)" "$(value "$work/train.json" updates)" \
            "$(value "$work/eval.json" error | awk '{ print 100 * $1 }')" "$(value "$work/train.json" train_seconds)"
    done
done
