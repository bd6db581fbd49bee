#!/bin/sh
# Nearest neighbours beside the programs people use today:
#   bench/near.sh BUILD SETS [PART] [RUNS]
#
# PART (all of them when empty):
#   knn-mnist   MNIST, 60,000 rows of 780 columns, 10,000 queries, k = 5 (and 1), l2: faiss, IndexFlatL2
#   knn-tree    skin_nonskin (3 columns; every tenth row is a query) and shuttle (9 columns), k = 5, l2: scikit-learn's kd_tree
#   knn-text    20 newsgroups as tf-idf, 11,314 rows, 7,532 queries, k = 5, cosine: scikit-learn's brute force
#
# Everybody has two threads and rows in memory; an index is built and searched. All are exact, so the neighbours must be
# the same up to ties: distances that differ by more than 1e-5 of the largest stop the script. The programs take turns, RUNS
# rounds (5), a process each.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2 part=${3-} runs=${4:-5}
work=build/bench/tasks
samples=build/bench/near-samples.txt
mkdir -p "$work"
: >"$samples"

case $part in
'' | knn-mnist | knn-tree | knn-text) ;;
*) echo "near.sh: what is $part?" >&2 && exit 2 ;;
esac

python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import sklearn' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo 'near.sh: no scikit-learn here: left out' >&2 && exit 0; }

# unpack SET/FILE NAME: plain text of it in $work/NAME; false when there is none.
unpack()
{
    [ ! -s "$work/$2" ] || return 0
    for packed in "$sets/$1" "$sets/$1.xz" "$sets/$1.zst" "$sets/$1.gz"; do
        [ -s "$packed" ] || continue
        echo "unpacking $1" >&2
        "$build/halfspace" convert -q --to libsvm "$packed" "$work/$2"
        return 0
    done
    echo "near.sh: no $1 in $sets: left out" >&2
    return 1
}

# run WHAT PEER WHO ROWS QUERIES K METRIC: one round of one search.
run()
{
    what=$1 peer=$2 who=$3 rows=$work/$4 queries=$5 k=$6 metric=$7
    [ "$queries" = - ] || queries=$work/$queries
    mine=$work/near-ours.txt
    ours() { mine_line=$("$build/bench/near" "$rows" "$queries" metric="$metric" k="$k" threads=2 save="$mine"); }
    theirs() { their_line=$("$python" bench/others/knn.py "$who" "$rows" "$queries" "$k" "$mine" | grep '^seconds='); }
    ours && theirs
    echo "$what|$peer|ours|$round|$mine_line" >>"$samples"
    echo "$what|$peer|theirs|$round|$their_line" >>"$samples"
    off=$(echo "$their_line" | sed 's/.*off=//')
    awk -v off="$off" 'BEGIN { exit !(off <= 1e-5) }' ||
        { echo "near.sh: $what: distances differ by $off from $peer" >&2 && exit 1; }
}

wanted() { [ -z "$part" ] || [ "$part" = "$1" ]; }

each()
{
    if wanted knn-mnist && "$python" -c 'import faiss' 2>/dev/null && unpack mnist/mnist mnist.svm &&
        unpack mnist/mnist.t mnist.t.svm; then
        run 'MNIST, 60,000 x 780, 10,000 queries, k = 5' 'faiss IndexFlatL2' faiss mnist.svm mnist.t.svm 5 l2
        run 'MNIST, 60,000 x 780, 10,000 queries, k = 1' 'faiss IndexFlatL2' faiss mnist.svm mnist.t.svm 1 l2
    fi
    if wanted knn-tree && unpack skin_nonskin/skin_nonskin skin.svm; then
        run 'skin_nonskin, 220,551 x 3, 24,506 queries' 'scikit-learn kd_tree' kd_tree skin.svm - 5 l2
    fi
    if wanted knn-tree && unpack shuttle/shuttle.trn shuttle.svm && unpack shuttle/shuttle.tst shuttle.t.svm; then
        run 'shuttle, 43,500 x 9, 14,500 queries' 'scikit-learn kd_tree' kd_tree shuttle.svm shuttle.t.svm 5 l2
    fi
    if wanted knn-text && unpack 20news/20news.tfidf 20news.svm && unpack 20news/20news.tfidf.t 20news.t.svm; then
        run '20news, 11,314 x 56,438, 7,532 queries, cosine' 'scikit-learn brute' brute-cosine 20news.svm 20news.t.svm 5 cosine
    fi
}

round=0
while [ "$round" -lt "$runs" ]; do
    round=$((round + 1))
    echo "round $round of $runs" >&2
    each
done
awk -F'|' -v json=build/bench/near.json -f bench/near.awk "$samples"
