#!/bin/sh
# Whole tasks on real data, file to file, beside the programs people use today:
#   bench/tasks.sh BUILD SETS [RUNS]
#
# SETS has 20news/20news.tfidf.xz, mnist/mnist.xz and so on, libsvm text that may be compressed. Each is
# unpacked once into build/bench/tasks, so that all programs read the same plain text; a set that is not
# there is left out. The programs take turns, RUNS rounds (5), each in a process of its own with the
# files in memory.
#
#   learning     text file to saved model, 10 passes of the perceptron in the order of the file (halfspace
#                ends sooner if a pass makes no mistake; scikit-learn with tol=None does not).
#                halfspace: the whole process. scikit-learn: from loading to the pickle, the import not
#                counted (bench/others/sklearn_perceptron.py).
#   predicting   text file to file of classes, the whole process. liblinear-predict with a model that
#                liblinear-train made of the same training data, halfspace with one of its own.
# Results: a table, and build/bench/tasks.json.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2 runs=${3:-5}
halfspace=$build/halfspace
elapsed=$build/bench/elapsed
work=build/bench/tasks
samples=$work/samples.txt
mkdir -p "$work"
: >"$samples"

python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import sklearn' 2>/dev/null || python=$candidate
done
liblinear=$(command -v liblinear-predict || true)

# ---- The files ----

# unpack SET/FILE NAME: plain text of it in $work/NAME; false when there is none.
unpack()
{
    [ ! -s "$work/$2" ] || return 0
    for packed in "$sets/$1" "$sets/$1.xz" "$sets/$1.zst" "$sets/$1.gz"; do
        [ -s "$packed" ] || continue
        echo "unpacking $1" >&2
        "$halfspace" convert -q --to libsvm --precision double "$packed" "$work/$2"
        return 0
    done
    echo "tasks.sh: no $1 in $sets: left out" >&2
    return 1
}

# models NAME: of both programs for predicting, learned from $work/NAME; how well does not matter here, so
# LIBLINEAR may stop at once.
models()
{
    [ -s "$work/$1.hsp" ] || "$halfspace" train perceptron -q --passes 2 --multiclass ovr \
        "$work/$1" -o "$work/$1.hsp" >/dev/null 2>&1
    [ -z "$liblinear" ] || [ -s "$work/$1.liblinear" ] || liblinear-train -q -s 1 -e 1e9 -B 1 \
        "$work/$1" "$work/$1.liblinear"
}

# Which sets there are: NAME of the file to learn from, NAME of that to predict.
learnable="" predictable=""
if unpack 20news/20news.tfidf 20news.svm; then
    learnable="$learnable 20news"
    unpack 20news/20news.tfidf.t 20news.t.svm && models 20news.svm && predictable="$predictable 20news"
fi
unpack 20news/20news.bin2gram.tfidf 20news2.svm && learnable="$learnable 20news2"
unpack w8a/w8a w8a.svm && models w8a.svm && learnable="$learnable w8a" predictable="$predictable w8a"
if unpack mnist/mnist mnist.svm; then
    # One digit against the rest, for all programs alike.
    [ -s "$work/mnist3.svm" ] || sed 's/^3 /+1 /;t;s/^[0-9]* /-1 /' "$work/mnist.svm" >"$work/mnist3.svm"
    learnable="$learnable mnist3"
    unpack mnist/mnist.t mnist.t.svm && models mnist.svm && predictable="$predictable mnist"
fi
[ -n "$learnable" ] || { echo "tasks.sh: no data sets in $sets" >&2; exit 2; }
cat "$work"/*.svm >/dev/null # into the file cache

# ---- The measurements ----

# take WHAT WHO COMMAND...
take()
{
    what=$1 who=$2
    shift 2
    if line=$("$@" 2>/dev/null | grep '^seconds='); then
        echo "$what|$who|$round|$line" >>"$samples"
    else
        echo "tasks.sh: $who could not do '$what'" >&2
    fi
}

# learn WHAT NAME: both of scikit-learn's forms of rows.
learn()
{
    for threads in 1 2; do
        take "$1" "halfspace, $threads thread$([ $threads = 1 ] || echo s)" "$elapsed" "$halfspace" train \
            perceptron -q --passes 10 --multiclass ovr --threads $threads "$work/$2.svm" -o "$work/out.hsp"
    done
    [ -n "$python" ] || return 0
    take "$1" 'scikit-learn, sparse' "$python" bench/others/sklearn_perceptron.py "$work/$2.svm" "$work/out.pkl" sparse
    [ "$2" != mnist3 ] || take "$1" 'scikit-learn, dense' "$python" bench/others/sklearn_perceptron.py \
        "$work/$2.svm" "$work/out.pkl" dense
}

# predict WHAT MODEL FILE
predict()
{
    for threads in 1 2; do
        take "$1" "halfspace, $threads thread$([ $threads = 1 ] || echo s)" "$elapsed" "$halfspace" predict -q \
            --threads $threads "$work/$2.hsp" "$work/$3" -o "$work/out.txt"
    done
    [ -z "$liblinear" ] || take "$1" liblinear-predict "$elapsed" "$liblinear" "$work/$3" \
        "$work/$2.liblinear" "$work/out.txt"
}

one_round()
{
    for set in $learnable; do
        case $set in
        20news) learn '20 newsgroups, 20 classes: file to model' 20news ;;
        20news2) learn '20 newsgroups, 2 classes, 1-2-grams: file to model' 20news2 ;;
        w8a) learn 'w8a: file to model' w8a ;;
        mnist3) learn 'MNIST, 3 against the rest: file to model' mnist3 ;;
        esac
    done
    for set in $predictable; do
        case $set in
        20news) predict '20 newsgroups, 20 classes: file to classes' 20news.svm 20news.t.svm ;;
        w8a) predict 'w8a: file to classes' w8a.svm w8a.svm ;;
        mnist) predict 'MNIST, 10 classes: file to classes' mnist.svm mnist.t.svm ;;
        esac
    done
}

round=0
while [ "$round" -lt "$runs" ]; do
    round=$((round + 1))
    echo "round $round of $runs" >&2
    one_round
done

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
sort -t'|' -s -k1,1 "$samples" | awk -F'|' -v cpu="${cpu:-unknown}" -v cores="$(nproc)" -v runs="$runs" \
    -v json=build/bench/tasks.json -f bench/tasks.awk
