#!/bin/sh
# The command on the processes of MPI jobs: make check-mpi, or tests/mpi/run.sh BUILD [CASE...]
#
# Every case runs with Open MPI; "bits" with MPICH, too, if it is installed. "sets" compares with the plain command on the libsvm
# files below the folder DATA; it runs when that is named (CASES=sets DATA=FOLDER). Prints "ok NAME" or "FAILED NAME" and what
# differed, and at the end the counts.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD
build=$PWD/${1:-build}
[ $# -eq 0 ] || shift
cases=${*:-bits kinds divided rows plain separators reading faults checkpoint refused page}
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
trap 'exit 1' INT TERM
cd "$here" || exit 1
halfspace=$build/halfspace
DATA=${DATA:+$(cd "$folder" && cd "$DATA" && pwd)}
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
passed=0 failed=0
kind=openmpi

# ranks P COMMAND...: on P processes.
ranks()
{
    count=$1
    shift
    if [ "$kind" = mpich ]; then
        mpirun.mpich -n "$count" "$build/halfspace-mpi-mpich" "$@" --threads 1
    else
        mpirun.openmpi --oversubscribe -n "$count" "$build/halfspace-mpi-openmpi" "$@" --threads 1
    fi
}

ok()
{
    echo "ok mpi $kind: $*"
    passed=$((passed + 1))
}
bad()
{
    echo "FAILED mpi $kind: $*"
    [ ! -s out ] || head -20 out
    failed=$((failed + 1))
}
# check NAME COMMAND...: is it so?
check()
{
    claim=$1
    shift
    if "$@" >>out 2>&1; then ok "$claim"; else bad "$claim"; fi
}

# same NAME FILE COMMAND...: 1, 2, 3, 4 and 8 processes write the same FILE, and the report has the same figures.
same()
{
    name=$1 file=$2
    shift 2
    for count in 1 2 3 4 8; do
        rm -f "$file"
        if ! ranks "$count" "$@" --json >report 2>out; then
            bad "$name: $count processes"
            return
        fi
        grep -vE 'seconds"|peak_rss_bytes|"threads"' report >figures
        if [ "$count" -eq 1 ]; then
            cp "$file" first
            cp figures first-figures
        elif ! cmp "$file" first >out 2>&1 || ! diff figures first-figures >out; then
            bad "$name: $count processes differ from one"
            return
        fi
    done
    ok "$name"
}

data()
{
    [ ! -f dense.svm ] || return 0
    "$halfspace" make halfspace --rows 3001 --features 12 --noise 0.05 -q -o dense.svm
    "$halfspace" make separable --rows 1000 --features 8 -q -o separable.svm
    "$halfspace" make text --rows 1500 --features 3000 -q -o text.svm
    # four classes: those of dense.svm by the sign of the first column
    head -1200 dense.svm | awk '{ split($2, first, ":"); $1 = ($1 > 0) + 2 * (first[2] > 0); print }' >classes.svm
    "$halfspace" convert dense.svm dense.csv -q
}

case_bits()
{
    data
    "$halfspace" train logistic dense.svm -q -o model.hsp >out
    same 'logistic' m.hsp train logistic --solver newton dense.svm -o m.hsp
    same 'svm' m.hsp train svm --solver newton dense.svm -o m.hsp
    same 'svm, wide and sparse' m.hsp train svm --solver newton text.svm -o m.hsp
    same 'perceptron' m.hsp train perceptron separable.svm -o m.hsp
    same 'predictions' p.csv predict model.hsp dense.svm -o p.csv
}

case_kinds()
{
    data
    for run in 'svm --loss squared dense.svm' 'logistic --scale standard dense.csv' 'logistic classes.svm' \
        'svm classes.svm' 'svm --kernel rbf classes.svm' 'knn classes.svm' 'winnow text.svm' 'lp separable.svm' \
        'experts dense.svm'; do
        # shellcheck disable=SC2086 # several words
        same "train $run" m.hsp train $run -o m.hsp
    done
}

# The same rows, however they reach the processes: in parts, as a whole, from a pipe.
case_reading()
{
    data
    ranks 1 train logistic --solver newton dense.svm -q -o whole.hsp >out 2>&1
    gzip -k dense.svm
    head -1000 dense.svm >one.svm
    tail -n +1001 dense.svm >two.svm
    for count in 1 2 3 4 8; do
        for from in dense.svm dense.svm.gz 'one.svm two.svm' -; do
            rm -f m.hsp
            # shellcheck disable=SC2086 # several words
            ranks "$count" train logistic --solver newton $from -q -o m.hsp <dense.svm >out 2>&1
            check "$count processes read $from" cmp m.hsp whole.hsp
        done
        split -n "l/$count" -d -a 1 dense.svm part
        rm -f m.hsp
        ranks "$count" train logistic --solver newton 'part{rank}' -q -o m.hsp >out 2>&1
        check "$count processes read a file each" cmp m.hsp whole.hsp
    done
}

# All rows on every process, and the work divided: also the file of one process without MPI.
case_rows()
{
    data
    for run in 'svm --kernel rbf dense.svm' 'knn --k auto classes.svm'; do
        # shellcheck disable=SC2086 # several words
        same "train $run" m.hsp train $run -o m.hsp
        # shellcheck disable=SC2086
        "$halfspace" train $run -q -o model.hsp >out
        check "train $run: plain" cmp m.hsp model.hsp
        same "predict, $run" p.csv predict model.hsp dense.svm -o p.csv
        "$halfspace" predict model.hsp dense.svm -q -o plain.csv >out
        check "predict, $run: plain" cmp p.csv plain.csv
    done
}

# What is the plain command's, to the bit: its report and its file.
case_plain()
{
    data
    "$halfspace" train logistic dense.svm -q -o model.hsp >out
    for run in 'cv logistic classes.svm --score log-loss --held-out' 'eval model.hsp dense.svm --rows -o' \
        'certify separable.svm -o'; do
        # shellcheck disable=SC2086 # several words
        "$halfspace" $run file --json | grep -vE 'seconds"|peak_rss_bytes|"threads"' >plain-figures
        mv file plain
        # shellcheck disable=SC2086 # several words
        same "$run" file $run file
        check "$run: as one process does" cmp plain file
        check "$run: the report, too" diff plain-figures figures
    done
}

# A separator that is demanded: the plain command's answer, which is confirmed on all rows. In float, the rows of thirds.svm have one.
case_separators()
{
    data
    awk 'BEGIN { for (i = 0; i < 80; i++) print i % 2 ? "-1 2:0.4\n1 1:0.1 2:0.3" : "-1 1:0.2 2:0.2\n1 1:0.1 2:0.3" }' >thirds.svm
    for run in 'lp thirds.svm' 'svm --hard thirds.svm' "lp $folder/examples/iris.csv" 'lp separable.svm' 'svm --hard dense.svm'; do
        # shellcheck disable=SC2086 # several words
        "$halfspace" train $run -q >plain 2>out
        status=$?
        for count in 1 2 3; do
            # shellcheck disable=SC2086
            ranks "$count" train $run -q >found 2>out
            found=$?
            check "train $run: status on $count" [ "$found" -eq "$status" ]
            check "train $run: answer on $count" diff plain found
        done
    done
}

# Rows divided among the processes: the model is not that of the plain command, and as near to the best.
case_divided()
{
    data
    for run in 'svm dense.svm' 'svm --loss squared text.svm' 'logistic --multiclass ovr --scale standard classes.svm'; do
        run="$run --solver newton"
        # shellcheck disable=SC2086 # several words
        same "divided rows: $run" m.hsp train $run -o m.hsp
        # shellcheck disable=SC2086
        "$halfspace" train $run -q -o plain.hsp >out
        if cmp -s m.hsp plain.hsp; then bad "$run: not divided"; else ok "$run: divided"; fi
    done
}

# The processes of a job whose mpirun is $1.
children()
{
    pgrep -P "$1" | tr '\n' ' '
}

# A process that dies ends the job, with a message that names it, and leaves no model.
case_faults()
{
    "$halfspace" make halfspace --rows 100000 --features 60 --noise 0.05 -q -o large.svm
    for wait in 0.3 0.7 1.2; do
        for victim in 1 3; do
            rm -f m.hsp
            (
                exec mpirun.openmpi --oversubscribe -n 3 "$build/halfspace-mpi-openmpi" train perceptron large.svm --passes 1e9 \
                    --threads 1 -o m.hsp
            ) >out 2>&1 &
            job=$!
            sleep "$wait"
            # shellcheck disable=SC2046 # one number per process
            set -- $(children "$job")
            eval "one=\${$victim:-}"
            [ -z "$one" ] || kill -9 "$one"
            begun=$(date +%s)
            wait "$job"
            status=$?
            took=$(($(date +%s) - begun))
            if [ -n "$one" ] && [ "$status" -ne 0 ] && [ "$took" -lt 30 ] && grep -q "rank $((victim - 1))" out &&
                [ ! -e m.hsp ]; then
                ok "process $((victim - 1)) killed after $wait s"
            else
                bad "process $((victim - 1)) killed after $wait s: status $status, $took s"
            fi
        done
    done
}

# A job that is killed goes on from its checkpoint, on another number of processes, to the model of one process.
case_checkpoint()
{
    "$halfspace" make halfspace --rows 20000 --features 30 --noise 0.1 -q -o large.svm
    for run in 'winnow --scale min-max --passes 300' 'perceptron --passes 1000 --average average' \
        'svm --solver newton --gap 1e-7 --C 100'; do
        rm -f state m.hsp
        # shellcheck disable=SC2086 # several words
        ranks 1 train $run large.svm -q -o one.hsp >/dev/null 2>&1
        (
            # shellcheck disable=SC2086
            exec mpirun.openmpi --oversubscribe -n 3 "$build/halfspace-mpi-openmpi" train $run large.svm --threads 1 \
                --checkpoint state --every 0 -o m.hsp
        ) >out 2>&1 &
        job=$!
        while [ ! -e state ] && kill -0 "$job" 2>/dev/null; do sleep 0.01; done
        # shellcheck disable=SC2046 # one number per process
        kill -9 $(children "$job") 2>/dev/null
        wait "$job"
        # shellcheck disable=SC2086
        ranks 2 train $run large.svm --checkpoint state -o m.hsp >out 2>&1
        if grep -q 'goes on from state' out && cmp one.hsp m.hsp >>out && [ ! -e state ]; then
            ok "$run goes on from a checkpoint"
        else
            bad "$run goes on from a checkpoint"
        fi
    done
}

# Mistakes of the user are said once.
once()
{
    pattern=$1 status=$2
    shift 2
    ranks 3 "$@" >out 2>&1
    found=$?
    [ "$found" -eq "$status" ] && [ "$(grep -c "$pattern" out)" -eq 1 ]
}

case_refused()
{
    data
    printf '1 1:2\n0 1:x\n' >broken.svm
    cat dense.svm broken.svm >late.svm
    check 'a value that is no number' once 'broken.svm:2:' 3 train svm broken.svm
    check 'the same in the rows of the last process' once 'late.svm:3003:' 3 train svm late.svm
    check 'a value from a pipe' once 'standard input:2:' 3 train svm - <broken.svm
    check 'no such file' once 'nothing.svm' 4 train svm nothing.svm
    check 'an option that does not exist' once 'nonsense' 2 train svm dense.svm --nonsense
    check 'a command for one process' once 'halfspace inspect' 2 inspect dense.svm
}

# The example of docs/many-machines.md prints what stands there.
case_page()
{
    page=$folder/docs/many-machines.md
    mkdir -p bin examples
    cp "$folder/examples/iris.csv" examples/
    ln -sf "$build/halfspace-mpi-openmpi" bin/halfspace-mpi
    # shellcheck disable=SC2016 # the script expands it
    printf '#!/bin/sh\nexec mpirun.openmpi --oversubscribe "$@"\n' >bin/mpirun
    chmod +x bin/mpirun
    # shellcheck disable=SC2016 # backquotes as such
    sed -n '/^```console$/,/^```$/{/^```/!p;}' "$page" >told
    sed -n 's/^\$ //p' told | while IFS= read -r command; do
        printf '%s\n' "\$ $command"
        PATH=$PWD/bin:$PATH sh -c "$command" 2>&1 </dev/null
    done >found
    check 'the page' diff told found
}

# field NAME FILE: a number of a report.
field()
{
    sed -n "s/^  \"$1\": \([-+.e0-9]*\),*$/\1/p" "$2"
}

# On each file: a divided run is as near to the best as the plain command's, and has the same bits on 1 and 3 processes; so has the
# perceptron; a run with little memory has those of the plain one.
case_sets()
{
    for file in "${DATA:?name the folder of data sets: DATA=FOLDER}"/*/*; do
        name=${file##*/}
        "$halfspace" train perceptron "$file" --passes 1 -q -o plain.hsp >out 2>&1 || continue # not libsvm text
        run='svm --loss squared --solver newton --multiclass ovr'
        # shellcheck disable=SC2086 # several words
        "$halfspace" train $run "$file" -q --json -o plain.hsp >plain-report 2>out
        # shellcheck disable=SC2086
        "$halfspace" train $run "$file" -q --memory 32M -o limited.hsp >/dev/null 2>>out
        check "$name: 32 MB of memory" cmp plain.hsp limited.hsp
        for count in 1 3; do
            # shellcheck disable=SC2086
            ranks "$count" train $run "$file" -q --json -o "svm$count.hsp" >"report$count" 2>>out
            ranks "$count" train perceptron "$file" --passes 3 -q -o "perceptron$count.hsp" >/dev/null 2>>out
        done
        check "$name: svm on 1 and 3 processes" cmp svm1.hsp svm3.hsp
        check "$name: perceptron on 1 and 3 processes" cmp perceptron1.hsp perceptron3.hsp
        check "$name: objective of the divided run" awk -v p="$(field scaled_objective plain-report)" \
            -v d="$(field scaled_dual_objective plain-report)" -v q="$(field scaled_objective report3)" \
            -v e="$(field scaled_dual_objective report3)" \
            'BEGIN { print p, d, q, e; exit !(p > 0 && q > 0 && d <= q && e <= p && q - e <= 1e-3 * q) }'
        "$halfspace" eval plain.hsp "$file" -q --json 2>>out | grep -vE 'seconds"|peak_rss_bytes|"threads"' >plain-figures
        ranks 3 eval plain.hsp "$file" -q --json 2>>out | grep -vE 'seconds"|peak_rss_bytes|"threads"' >figures
        check "$name: eval on 3 processes" diff plain-figures figures
    done
}

for case in $cases; do
    "case_$case"
done
if [ -x "$build/halfspace-mpi-mpich" ]; then
    kind=mpich
    case_bits
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
