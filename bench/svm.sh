#!/bin/sh
# Widest margins beside the programs people use today:
#   bench/svm.sh BUILD SETS [PART] [RUNS] [LIMIT]
#
# PART (all of them when empty):
#   svm-file     text file to saved model at C = 1, the whole process, and its peak memory
#   svm-train    training alone, the same runs: our train_seconds beside the time in LIBLINEAR's train()
#                (bench/others/liblinear_train.c) or scikit-learn's fit()
#   svm-hard-C   a9a, hinge loss, C = 32 and 1000, where LIBLINEAR's -s 3 gives up: ours to a gap of 1e-3
#   svm-predict  text file to file of classes beside liblinear-predict
#   svm-tune     20 values of C by 5 folds beside GridSearchCV over LinearSVC on both processors; no more than 1,000
#                passes a run, which is LinearSVC's limit
#
# Like with like: the offset is regularised where LIBLINEAR (-B 1) and LinearSVC have it so, free beside
# LogisticRegression and SGDClassifier. Both models are judged by bench/objective.c from the files alone. Ours
# is trained to the widest gap of 1e-1, 1e-2, ... 1e-8 at which its objective is no worse than the other's; the
# table says which. A peer that is not done after LIMIT seconds (30) is stopped, and the table says ">".
#
# SETS has a9a/a9a, mnist/mnist and so on, libsvm text that may be compressed, unpacked once into
# build/bench/tasks; a set that is not there is left out. The programs take turns, RUNS rounds (5), the one
# that begins changing from round to round; who has used 10 seconds is not asked again.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2 part=${3-} runs=${4:-5} limit=${5:-30}
halfspace=$build/halfspace
elapsed=$build/bench/elapsed
objective=$build/bench/objective
work=build/bench/tasks
mkdir -p "$work"

case $part in
'' | svm-file | svm-train | svm-hard-C | svm-predict | svm-tune) ;;
*) echo "svm.sh: what is $part?" >&2 && exit 2 ;;
esac

python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import sklearn' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || echo 'svm.sh: no scikit-learn here: left out' >&2
liblinear=$(command -v liblinear-train || true)
[ -n "$liblinear" ] || echo 'svm.sh: no liblinear-train here: left out' >&2
[ -z "$liblinear" ] || cc -O2 -D_GNU_SOURCE -shared -fPIC bench/others/liblinear_train.c -o "$work/liblinear_train.so" -ldl

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
    echo "svm.sh: no $1 in $sets: left out" >&2
    return 1
}

# scaled NAME: MNIST's pixels divided by 255, six digits, in $work/NAME-scaled.svm.
scaled()
{
    [ ! -s "$work/$1-scaled.svm" ] || return 0
    unpack "mnist/$1" "$1.svm" || return 1
    awk '{
        printf "%s", $1
        for (i = 2; i <= NF; i++) {
            split($i, entry, ":")
            printf " %s:%.6g", entry[1], entry[2] / 255
        }
        print ""
    }' "$work/$1.svm" >"$work/$1-scaled.tmp"
    mv "$work/$1-scaled.tmp" "$work/$1-scaled.svm"
}

# Text-like rows: 200,000 of them, 50,000 columns, 75 non-zeros a row.
made_text()
{
    [ -s "$work/text200k.svm" ] ||
        "$halfspace" make text -q --rows 200000 --features 50000 --nonzeros 75 -o "$work/text200k.svm"
}

# file NAME: is the file of this set there?
file()
{
    case $1 in
    a9a) unpack a9a/a9a a9a.svm ;;
    w8a) unpack w8a/w8a w8a.svm ;;
    mnist-scaled) scaled mnist ;;
    20news) unpack 20news/20news.tfidf 20news.svm ;;
    20news2) unpack 20news/20news.bin2gram.tfidf 20news2.svm ;;
    covtype) unpack covtype_20k/covtype20k.binary covtype.svm ;;
    skin) unpack skin_nonskin/skin_nonskin skin.svm ;;
    flights3m) unpack flights3m/flights3m flights3m.svm ;;
    text200k) made_text ;;
    esac
}

title()
{
    case $1 in
    mnist-scaled) echo 'MNIST, 10 classes' ;;
    20news) echo '20news, 20 classes' ;;
    20news2) echo '20news, 2 classes' ;;
    covtype) echo 'covtype, 20,000 rows' ;;
    skin) echo 'skin_nonskin' ;;
    text200k) echo 'text, 200,000 rows' ;;
    *) echo "$1" ;;
    esac
}

# ---- One run of one program ----

# Each prints "seconds=... cpu=... peak=... train=..." and leaves a model that bench/objective reads.

# ours FILE LOSS OFFSET C GAP MODEL
ours()
{
    case $2 in
    logistic) learner=logistic ;;
    *) learner="svm --loss $2" ;;
    esac
    # shellcheck disable=SC2086 # words
    line=$("$elapsed" timeout "$limit" "$halfspace" train $learner -q --json --multiclass ovr --offset "$3" --C "$4" \
        --gap "$5" "$1" -o "$6" 2>"$work/said") || return 1
    echo "$line train=$(sed -n 's/.*"train_seconds": *\([0-9.e-]*\).*/\1/p' "$work/said" | head -1)"
}

# theirs PEER FILE C MODEL: LIBLINEAR's solver by number, or scikit-learn's class.
theirs()
{
    case $1 in
    -s*)
        # shellcheck disable=SC2086 # -s 1 is two words
        line=$(LD_PRELOAD="$PWD/$work/liblinear_train.so" "$elapsed" timeout "$limit" "$liblinear" -q $1 -B 1 -c "$3" \
            "$2" "$4" 2>"$work/said") || return 1
        echo "$line train=$(sed -n 's/^train_seconds=//p' "$work/said" | tail -1)"
        ;;
    *)
        timeout "$limit" "$python" bench/others/sklearn_svm.py "$1" "$2" "$4" 2>/dev/null | grep '^seconds=' || return 1
        mv "$4.txt" "$4"
        ;;
    esac
}

# judge LOSS OFFSET C FILE MODEL: its objective.
judge()
{
    "$objective" "$1" "$3" "$2" "$4" "$5" | sed 's/objective=\([^ ]*\).*/\1/'
}

# Rows of 32 bits are the file's numbers to 6e-8: nearer than 1e-7 nothing is better or worse.
no_worse() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b * (1 + 1e-7)) }'; }

# ---- Pairs: ours beside one of theirs on one task ----

# sample SIDE LINE
sample() { echo "$what|$peer|$1|$round|$2" >>"$samples"; }

# may SIDE: has this side of the pair time left?
may()
{
    awk -F'|' -v what="$what" -v peer="$peer" -v side="$1" '$1 == what && $2 == peer && $3 == side {
        split($5, word, " ")
        spent += substr(word[1], 9)
    }
    END { exit spent > 10 }' "$samples"
}

run_theirs()
{
    may theirs || return 0
    if line=$(theirs "$peer" "$path" "$C" "$work/theirs.model"); then
        [ "$round" -gt 1 ] || line="$line objective=$(judge "$loss" "$offset" "$C" "$path" "$work/theirs.model")"
        sample theirs "$line"
    else
        sample theirs "seconds=$limit cpu=$limit peak=0 train=$limit stopped=1"
    fi
}

run_ours()
{
    may ours || return 0
    if line=$(ours "$path" "$loss" "$offset" "$C" "$gap" "$work/ours.model"); then
        [ "$round" -gt 1 ] || line="$line gap=$gap objective=$(judge "$loss" "$offset" "$C" "$path" "$work/ours.model")"
        sample ours "$line"
    else
        echo "svm.sh: halfspace: $what, gap $gap: $(tail -1 "$work/said")" >&2
    fi
}

# reach OBJECTIVE: sets `gap` to the widest at which ours is no worse.
reach()
{
    for gap in 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8; do
        ours "$path" "$loss" "$offset" "$C" "$gap" "$work/ours.model" >/dev/null || continue
        found=$(judge "$loss" "$offset" "$C" "$path" "$work/ours.model")
        ! no_worse "$found" "$1" || return 0
    done
    echo "svm.sh: $what beside $peer: $found at a gap of $gap, and they have $1" >&2
}

# pair SET LOSS PEER OFFSET C GAP (- : the widest that is no worse)
pair()
{
    set=$1 loss=$2 peer=$3 offset=$4 C=$5 gap=$6
    case $peer in
    -s*) [ -n "$liblinear" ] || return 0 ;;
    *) [ -n "$python" ] || return 0 ;;
    esac
    path=$work/$set.svm
    what="$(title "$set"), $loss$([ "$C" = 1 ] || echo ", C = $C")"
    known=$work/gap-$(echo "$set $loss $peer $C" | tr -d ' ')
    if [ "$round" = 1 ]; then
        run_theirs
        if [ "$gap" = - ]; then
            target=$(grep -F "$what|$peer|theirs|1|" "$samples" | sed -n 's/.*objective=//p')
            if [ -n "$target" ]; then reach "$target"; else gap=1e-3; fi
        fi
        echo "$gap" >"$known"
        run_ours
        return 0
    fi
    gap=$(cat "$known")
    if [ $((round % 2)) = 0 ]; then run_ours && run_theirs; else run_theirs && run_ours; fi
}

# each_set ROUND: every pair of the two first parts.
each_pair()
{
    for set in $there; do
        pair "$set" squared '-s 1' regularized 1 -
        pair "$set" squared '-s 2' regularized 1 -
        pair "$set" hinge '-s 3' regularized 1 -
        pair "$set" logistic '-s 0' regularized 1 -
        pair "$set" logistic '-s 7' regularized 1 -
        pair "$set" squared LinearSVC regularized 1 -
        pair "$set" logistic LogisticRegression free 1 -
        pair "$set" hinge SGDClassifier free 1 -
    done
}

hard_pairs()
{
    pair a9a hinge '-s 3' regularized 32 1e-3
    pair a9a hinge '-s 3' regularized 1000 1e-3
}

# rounds COMMAND: $runs of them.
rounds()
{
    round=0
    while [ "$round" -lt "$runs" ]; do
        round=$((round + 1))
        echo "round $round of $runs" >&2
        "$1"
    done
}

table()
{
    awk -F'|' -v title="$1" -v figure="$2" -v json="$work/$3.json" -f bench/svm.awk "$samples"
}

measure_file()
{
    samples=$work/svm-samples.txt
    : >"$samples"
    there=''
    for set in ${SETS_ONLY:-a9a w8a mnist-scaled 20news 20news2 covtype skin text200k flights3m}; do
        ! file "$set" || there="$there $set"
    done
    rounds each_pair
    [ "$part" = svm-train ] || table 'file to saved model, C = 1' seconds svm-file
    [ "$part" = svm-file ] || table 'training alone, C = 1' train svm-train
}

measure_hard()
{
    samples=$work/svm-hard-samples.txt
    : >"$samples"
    file a9a || return 0
    rounds hard_pairs
    table 'hinge loss where C is large: training alone' train svm-hard-C
}

# ---- Predicting and tuning ----

# predict_pair TITLE TRAIN FILE
predict_pair()
{
    what=$1 peer=liblinear-predict
    may theirs || return 0
    if [ "$round" = 1 ]; then
        "$halfspace" train svm -q --loss squared --gap 0.1 --max-seconds 20 --multiclass ovr "$work/$2" \
            -o "$work/$2.svm-model" >/dev/null 2>&1 || return 0
        [ -s "$work/$2.liblinear" ] || liblinear-train -q -s 1 -e 1e9 -B 1 "$work/$2" "$work/$2.liblinear"
    fi
    ! line=$("$elapsed" liblinear-predict "$work/$3" "$work/$2.liblinear" "$work/theirs.txt" 2>/dev/null) || sample theirs "$line"
    ! line=$("$elapsed" "$halfspace" predict -q "$work/$2.svm-model" "$work/$3" -o "$work/ours.txt" 2>/dev/null) ||
        sample ours "$line"
}

predict_pairs()
{
    ! file a9a || predict_pair a9a a9a.svm a9a.svm
    ! file w8a || predict_pair w8a w8a.svm w8a.svm
    ! file 20news || ! unpack 20news/20news.tfidf.t 20news.t.svm || predict_pair '20news, 20 classes' 20news.svm 20news.t.svm
    ! file mnist-scaled || ! scaled mnist.t || predict_pair 'MNIST, 10 classes' mnist-scaled.svm mnist.t-scaled.svm
    ! file text200k || predict_pair 'text, 200,000 rows' text200k.svm text200k.svm
    ! file flights3m || predict_pair flights3m flights3m.svm flights3m.svm
}

measure_predict()
{
    [ -n "$liblinear" ] || return 0
    samples=$work/svm-predict-samples.txt
    : >"$samples"
    rounds predict_pairs
    table 'predicting, file to file' seconds svm-predict
}

# tune_pair SET
tune_pair()
{
    what=$(title "$1") peer=GridSearchCV
    if may theirs; then
        line=$(timeout "$((limit * 4))" "$python" bench/others/sklearn_tune.py "$work/$1.svm" "$work/theirs.pkl" 2>/dev/null |
            grep '^seconds=') || line="seconds=$((limit * 4)) cpu=0 peak=0 stopped=1"
        sample theirs "$line"
    fi
    if may ours; then
        line=$("$elapsed" timeout "$((limit * 4))" "$halfspace" tune svm -q --json --loss squared --offset regularized \
            --tune C=1e-4:1e4:log:20 --folds 5 --max-passes 1000 "$work/$1.svm" -o "$work/ours.model" 2>"$work/said") ||
            { echo "svm.sh: halfspace tune: $(tail -1 "$work/said")" >&2 && return 0; }
        sample ours "$line"
    fi
}

tune_pairs()
{
    for set in ${SETS_ONLY:-a9a 20news2 w8a}; do
        ! file "$set" || tune_pair "$set"
    done
}

measure_tune()
{
    [ -n "$python" ] || return 0
    samples=$work/svm-tune-samples.txt
    : >"$samples"
    rounds tune_pairs
    table '20 values of C by 5 folds, file to saved model' seconds svm-tune
}

case $part in
svm-file | svm-train) measure_file ;;
svm-hard-C) measure_hard ;;
svm-predict) measure_predict ;;
svm-tune) measure_tune ;;
*) measure_file && measure_hard && measure_predict && measure_tune ;;
esac
