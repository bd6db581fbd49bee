#!/bin/sh
# Kernel machines beside the programs people use today:
#   bench/kernel.sh BUILD SETS [PART] [RUNS] [LIMIT]
#
# PART (all of them when empty):
#   kernel-train      text file to saved model with the kernel exp(-c ||x - y||^2): a9a (C = 8, c = 2^-5), w8a (C = 16,
#                     c = 2^-5), usps (C = 10, c = 1/128), the first 10,000 rows of MNIST (C = 10, c = 0.02, pixels / 255)
#   kernel-predict    MNIST's 10,000 test rows, file to file of classes, by the machines of the first 10,000: each program's
#                     own, and ours with that of svm-train, imported
#   kernel-reference  not timed: known values of these problems, checked
#
# The peers are LIBSVM's svm-train and svm-predict and scikit-learn's SVC, at their default tolerance, each given CACHE_MB
# (2,000) megabytes of cache, as ours is; ten classes are learned as pairs by all of them. Models are judged from
# the files alone by their dual objective (bench/kernel_objective.c), of which more is better; ours is trained to the
# widest gap of 1e-3, 1e-4, 1e-5, 1e-6 at which it has no less than the peer. A peer that is not done after LIMIT seconds
# (600) is stopped. The programs take turns, RUNS rounds (5); who has used 60 seconds is not asked again.
set -eu
cd "$(dirname "$0")/.."
build=$1 sets=$2 part=${3-} runs=${4:-5} limit=${5:-600}
cache=${CACHE_MB:-2000}
halfspace=$build/halfspace
elapsed=$build/bench/elapsed
objective=$build/bench/kernel_objective
work=build/bench/tasks
mkdir -p "$work"

case $part in
'' | kernel-train | kernel-predict | kernel-reference) ;;
*) echo "kernel.sh: what is $part?" >&2 && exit 2 ;;
esac

python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import sklearn' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || echo 'kernel.sh: no scikit-learn here: left out' >&2
libsvm=$(command -v svm-train || true)
[ -n "$libsvm" ] || echo 'kernel.sh: no svm-train here: left out' >&2

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
    echo "kernel.sh: no $1 in $sets: left out" >&2
    return 1
}

# digits FILE NAME: the first 10,000 rows, pixels divided by 255.
digits()
{
    [ ! -s "$work/$2" ] || return 0
    unpack "mnist/$1" "$1.svm" || return 1
    head -10000 "$work/$1.svm" | awk '{
        printf "%s", $1
        for (i = 2; i <= NF; i++) {
            split($i, entry, ":")
            printf " %s:%.6g", entry[1], entry[2] / 255
        }
        print ""
    }' >"$work/$2.tmp"
    mv "$work/$2.tmp" "$work/$2"
}

# file NAME: is the file of this set there? Sets C and c.
file()
{
    case $1 in
    a9a) C=8 c=0.03125 && unpack a9a/a9a a9a.svm ;;
    w8a) C=16 c=0.03125 && unpack w8a/w8a w8a.svm ;;
    usps) C=10 c=0.0078125 && unpack usps/usps usps.svm ;;
    mnist10k) C=10 c=0.02 && digits mnist mnist10k.svm ;;
    esac
}

# ---- One run of one program ----

# ours FILE GAP MODEL [OPTIONS]
ours()
{
    path=$1 gap=$2 to=$3
    shift 3
    line=$("$elapsed" timeout "$limit" "$halfspace" train svm -q --json --kernel "rbf($c)" --C "$C" --multiclass ovo \
        --cache-mb "$cache" --gap "$gap" "$@" "$path" -o "$to" 2>"$work/said") || return 1
    echo "$line train=$(sed -n 's/.*"train_seconds": *\([0-9.e-]*\).*/\1/p' "$work/said" | head -1)"
}

# theirs PEER FILE MODEL
theirs()
{
    case $1 in
    svm-train)
        "$elapsed" timeout "$limit" svm-train -q -c "$C" -g "$c" -m "$cache" "$2" "$3" 2>/dev/null || return 1
        ;;
    *)
        timeout "$limit" "$python" bench/others/sklearn_svc.py "$2" "$3" "$C" "$c" "$cache" 2>/dev/null |
            grep '^seconds=' || return 1
        mv "$3.txt" "$3"
        ;;
    esac
}

# judge MODEL: of LIBSVM's format. judge_ours MODEL
judge() { "$objective" "$1" | sed 's/objective=\([^ ]*\).*/\1/'; }

judge_ours()
{
    "$halfspace" model export -q --format libsvm "$1" -o "$1.libsvm"
    judge "$1.libsvm"
}

no_less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b * (1 - 1e-9)) }'; }

# ---- Pairs: ours beside one of theirs on one task ----

sample() { echo "$what|$peer|$1|$round|$2" >>"$samples"; }

may()
{
    awk -F'|' -v what="$what" -v peer="$peer" -v side="$1" '$1 == what && $2 == peer && $3 == side {
        split($5, word, " ")
        spent += substr(word[1], 9)
    }
    END { exit spent > 60 }' "$samples"
}

run_theirs()
{
    may theirs || return 0
    if line=$(theirs "$peer" "$work/$set.svm" "$work/theirs.model"); then
        [ "$round" -gt 1 ] || line="$line objective=$(judge "$work/theirs.model")"
        sample theirs "$line"
    else
        sample theirs "seconds=$limit cpu=$limit peak=0 stopped=1"
    fi
}

run_ours()
{
    may ours || return 0
    if line=$(ours "$work/$set.svm" "$gap" "$work/ours.model"); then
        [ "$round" -gt 1 ] || line="$line gap=$gap objective=$(judge_ours "$work/ours.model")"
        sample ours "$line"
    else
        echo "kernel.sh: halfspace: $what, gap $gap: $(tail -1 "$work/said")" >&2
    fi
}

# reach OBJECTIVE: sets `gap` to the widest at which ours has no less.
reach()
{
    for gap in 1e-3 1e-4 1e-5 1e-6; do
        ours "$work/$set.svm" "$gap" "$work/ours.model" >/dev/null || continue
        found=$(judge_ours "$work/ours.model")
        ! no_less "$found" "$1" || return 0
    done
    echo "kernel.sh: $what beside $peer: $found at a gap of $gap, and they have $1" >&2
}

pair()
{
    set=$1 peer=$2
    file "$set" || return 0
    what="$set, C = $C, c = $c"
    known=$work/gap-kernel-$set-$peer
    if [ "$round" = 1 ]; then
        run_theirs
        target=$(grep -F "$what|$peer|theirs|1|" "$samples" | sed -n 's/.*objective=//p')
        if [ -n "$target" ]; then reach "$target"; else gap=1e-5; fi
        echo "$gap" >"$known"
        run_ours
        return 0
    fi
    gap=$(cat "$known")
    if [ $((round % 2)) = 0 ]; then run_ours && run_theirs; else run_theirs && run_ours; fi
}

each_pair()
{
    for one in ${SETS_ONLY:-usps mnist10k w8a a9a}; do
        [ -z "$libsvm" ] || pair "$one" svm-train
        [ -z "$python" ] || pair "$one" SVC
    done
}

# predict_pair WHAT MODEL: svm-predict with the machine that svm-train made, ours with MODEL.
predict_pair()
{
    what=$1 peer=svm-predict
    may theirs || return 0
    ! line=$("$elapsed" svm-predict -q "$work/mnist.t10k.svm" "$work/mnist10k.libsvm" "$work/theirs.txt" 2>/dev/null) ||
        sample theirs "$line"
    ! line=$("$elapsed" "$halfspace" predict -q "$2" "$work/mnist.t10k.svm" -o "$work/ours.txt" 2>/dev/null) ||
        sample ours "$line"
}

# Each program with the machine that it trained; and ours with theirs, which is in doubles.
predict_pairs()
{
    if [ "$round" = 1 ]; then
        svm-train -q -c "$C" -g "$c" -m "$cache" "$work/mnist10k.svm" "$work/mnist10k.libsvm"
        "$halfspace" model import -q "$work/mnist10k.libsvm" -o "$work/mnist10k.model"
        "$halfspace" train svm -q --kernel "rbf($c)" --C "$C" --multiclass ovo --cache-mb "$cache" \
            "$work/mnist10k.svm" -o "$work/mnist10k.own"
    fi
    predict_pair 'MNIST, 10,000 test rows, own model' "$work/mnist10k.own"
    predict_pair 'MNIST, 10,000 test rows, their model' "$work/mnist10k.model"
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

table() { awk -F'|' -v title="$1" -v figure=seconds -v dual=1 -v json="$work/$2.json" -f bench/svm.awk "$samples"; }

measure_train()
{
    samples=$work/kernel-samples.txt
    : >"$samples"
    rounds each_pair
    table 'kernel machines, file to saved model' kernel-train
}

measure_predict()
{
    [ -n "$libsvm" ] || return 0
    file mnist10k && digits mnist.t mnist.t10k.svm || return 0
    samples=$work/kernel-predict-samples.txt
    : >"$samples"
    rounds predict_pairs
    table 'predicting, file to file' kernel-predict
}

# ---- Known values ----

# known WHAT FOUND EXPECTED TOLERANCE
known()
{
    awk -v what="$1" -v a="$2" -v b="$3" -v t="$4" 'BEGIN {
        ok = a - b <= t && b - a <= t
        printf "  %-44s %16s, expected %s: %s\n", what, a, b, ok ? "yes" : "NO"
        exit !ok
    }' || wrong=1
}

# value SET: D of what was trained.
reference()
{
    file "$1" || return 0
    C=$2 c=$3
    ours "$work/$1.svm" 1e-6 "$work/known.model" >/dev/null || return 0
    known "$1, C = $C, c = $c: dual objective" "$(judge_ours "$work/known.model")" "$4" "$5"
}

error_of() { "$halfspace" eval -q --json "$1" "$2" | sed -n 's/.*"error": *\([0-9.e-]*\).*/\1/p' | head -1; }

measure_reference()
{
    wrong=0
    printf '\nknown values\n'
    reference a9a 8 0.03125 81728.6226 0.1
    ! unpack a9a/a9a.t a9a.t.svm || known 'a9a.t: error' "$(error_of "$work/known.model" "$work/a9a.t.svm")" 0.1489 0.0003
    reference w8a 16 0.03125 15885.8455 0.02
    reference a9a 100 0.5 294310.709 0.5
    ! file a9a || known 'a9a, C = 100: training error' "$(error_of "$work/known.model" "$work/a9a.svm")" 0.04401 0.0001
    return "$wrong"
}

case $part in
kernel-train) measure_train ;;
kernel-predict) measure_predict ;;
kernel-reference) measure_reference ;;
*) measure_train && measure_predict && measure_reference ;;
esac
