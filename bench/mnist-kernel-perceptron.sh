#!/bin/sh
# The voted kernel perceptron on MNIST's ten digits, one against the rest, one pass in the order of the file:
#   bench/mnist-kernel-perceptron.sh BUILD SETS [DEGREES]
#
# SETS has mnist/mnist and mnist/mnist.t as libsvm text, compressed or not: 60,000 digits to learn from, 10,000 to
# test. The kernel is (1 + <x, y>)^d on pixels divided by 255. The pixels stay as the file has them, whole numbers
# from 0 to 255, and the kernel is (255^2 + <x, y>)^d: 255^2d times the other, a factor that a perceptron
# without an offset does not see. Known (Freund and Schapire 1999, one pass, voted): 3.06%, 2.36% and 2.33% of
# the test digits wrong with degrees 2, 3 and 4.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2 degrees=${3:-2 3 4}
halfspace=$build/halfspace
work=build/bench/tasks
mkdir -p "$work"

# binary NAME: $work/NAME-raw.hsp, which is mapped and not read.
binary()
{
    [ ! -s "$work/$1-raw.hsp" ] || return 0
    for packed in "$sets/mnist/$1" "$sets/mnist/$1.xz" "$sets/mnist/$1.zst" "$sets/mnist/$1.gz"; do
        [ -s "$packed" ] || continue
        "$halfspace" convert -q "$packed" "$work/$1-raw.hsp"
        return 0
    done
    echo "mnist-kernel-perceptron.sh: no mnist/$1 in $sets" >&2
    exit 2
}

value() { sed -n "s/.*\"$2\": *\([0-9.e-]*\).*/\1/p" "$1" | head -1; }

binary mnist
binary mnist.t
printf '%-34s %10s %14s %12s %14s\n' 'MNIST, 10 classes, one-vs-rest' updates 'first pass' 'test error' 'train seconds'
for degree in $degrees; do
    "$halfspace" train perceptron -q --json --kernel "poly($degree,65025)" --offset none --multiclass ovr \
        --average vote --passes 1 "$work/mnist-raw.hsp" -o "$work/mnist-votes.hsp" >"$work/train.json" 2>/dev/null
    "$halfspace" eval -q --json "$work/mnist-votes.hsp" "$work/mnist.t-raw.hsp" >"$work/eval.json"
    printf '%-34s %10s %13.2f%% %11.2f%% %14.2f\n' "voted, degree $degree" "$(value "$work/train.json" updates)" \
        "$(value "$work/train.json" online_error | awk '{ print 100 * $1 }')" \
        "$(value "$work/eval.json" error | awk '{ print 100 * $1 }')" "$(value "$work/train.json" train_seconds)"
done
