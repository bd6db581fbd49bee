#!/bin/sh
# Measure side by side with the programs people use today, in one run:
#   bench/run.sh BUILD [--only read|vec|product|perceptron|svm|kernel|knn|python|shapes] [--size MB] [--runs N] [--data DIR] [--quick]
#
# read: what follows. vec: bench/vec.c. product: bench/product.c, beside OpenBLAS. perceptron: a pass in
# memory (bench/perceptron.c); and, when DIR has the data sets they need, whole tasks from file to file (bench/tasks.sh) and MNIST's known errors
# (bench/mnist-perceptron.sh, bench/mnist-kernel-perceptron.sh). svm: widest margins, or one part of it: svm-file,
# svm-train, svm-hard-C, svm-predict, svm-tune (bench/svm.sh). kernel: kernel machines, or kernel-train,
# kernel-predict, kernel-reference (bench/kernel.sh). knn: nearest neighbours, or knn-mnist, knn-tree, knn-text
# (bench/near.sh). python: the package beside scikit-learn, or python-linear, python-kernel, python-knn,
# python-overhead (bench/python.py). shapes: a grid of generated shapes, or shapes-scaling (bench/shapes.sh); with --quick a
# small part of it. Without --only: all of them.
#
# Files of about MB megabytes are made once (by halfspace make, with fixed seeds) and kept in DIR, or in
# build/bench/data when DIR cannot be written to; if files of those names are there already, they are
# taken as they are. Every reader gets a fresh process
# and a warm file cache. The readers take turns, N rounds of them (at least 5), so that whatever else
# the machine does falls on all of them alike; medians are reported, with the fastest and the slowest.
#
# What is timed:
#   halfspace     from a new context to checked rows (bench/read.c)
#   LIBLINEAR     Debian's liblinear-train from its start to the end of read_problem(), by a preloaded
#                 library that ends it there, before any training (bench/others/liblinear_read.c)
#   pandas        read_csv with its C engine, the import not counted (bench/others/pandas_read.py)
# Results: a table, and build/bench/results.json.
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
size=500 runs=5 data=build/bench/data quick=0 only=""
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2 && shift 2 ;;
    --size) size=$2 && shift 2 ;;
    --runs) runs=$2 && shift 2 ;;
    --data) data=$2 && shift 2 ;;
    --quick) quick=1 && shift ;;
    *) echo "run.sh: what is $1?" >&2 && exit 2 ;;
    esac
done
case $only in
'' | read | vec | product | perceptron) ;;
svm | svm-file | svm-train | svm-hard-C | svm-predict | svm-tune) ;;
kernel | kernel-train | kernel-predict | kernel-reference) ;;
knn | knn-mnist | knn-tree | knn-text) ;;
python | python-linear | python-kernel | python-knn | python-overhead) ;;
shapes | shapes-scaling) ;;
*) echo "run.sh: --only $only: expected read, vec, product, perceptron, svm, kernel, knn, python, shapes or one of their parts" >&2 && exit 2 ;;
esac
[ "$quick" = 0 ] || size=20
[ "$runs" -ge 5 ] || { echo 'run.sh: a median of fewer than 5 says little' >&2; exit 2; }

out=build/bench
sets=$data
[ ! -d "$data" ] || [ -w "$data" ] || data=build/bench/data

# ---- Routines and the perceptron ----

measure_vec()
{
    [ -x "$build/bench/vec" ] && [ "$quick" = 0 ] || return 0
    echo
    "$build/bench/vec" | tee "$out/vec.txt"
}

measure_product()
{
    [ -x "$build/bench/product" ] && [ "$quick" = 0 ] || return 0
    echo
    "$build/bench/product" | tee "$out/product.txt"
}

measure_perceptron()
{
    echo
    "$build/bench/perceptron" "$([ "$quick" = 0 ] && echo 1024 || echo 64)" "$runs" | tee "$out/perceptron.txt"
    if [ ! -d "$sets/mnist" ] && [ ! -d "$sets/20news" ] && [ ! -d "$sets/w8a" ]; then
        echo "run.sh: no data sets in $sets: whole tasks are left out" >&2
        return 0
    fi
    echo
    bench/tasks.sh "$build" "$sets" "$runs" | tee "$out/tasks.txt"
    [ -d "$sets/mnist" ] || return 0
    echo
    bench/mnist-perceptron.sh "$build" "$sets" | tee "$out/mnist-perceptron.txt"
    echo
    bench/mnist-kernel-perceptron.sh "$build" "$sets" | tee "$out/mnist-kernel-perceptron.txt"
}

# measure_svm PART: all of it when empty.
measure_svm()
{
    if [ ! -d "$sets/a9a" ]; then
        echo "run.sh: no data sets in $sets: widest margins are left out" >&2
        return 0
    fi
    [ "$quick" = 0 ] || return 0
    bench/svm.sh "$build" "$sets" "$1" "$runs" | tee "$out/svm${1#svm}.txt"
}

# measure_kernel PART: all of it when empty.
measure_kernel()
{
    if [ ! -d "$sets/a9a" ]; then
        echo "run.sh: no data sets in $sets: kernel machines are left out" >&2
        return 0
    fi
    [ "$quick" = 0 ] || return 0
    bench/kernel.sh "$build" "$sets" "$1" "$runs" | tee "$out/kernel${1#kernel}.txt"
}

# measure_knn PART: all of it when empty.
measure_knn()
{
    if [ ! -d "$sets/mnist" ] && [ ! -d "$sets/shuttle" ] && [ ! -d "$sets/20news" ]; then
        echo "run.sh: no data sets in $sets: nearest neighbours are left out" >&2
        return 0
    fi
    [ "$quick" = 0 ] || return 0
    bench/near.sh "$build" "$sets" "$1" "$runs" | tee "$out/knn${1#knn}.txt"
}

# measure_python PART: all of it when empty. The package of this build, by a Python that has scikit-learn.
measure_python()
{
    [ "$quick" = 0 ] || return 0
    part=${1#python}
    for candidate in /usr/bin/python3 python3; do
        if "$candidate" -c 'import sklearn' 2>/dev/null; then
            PYTHONPATH=$build/python "$candidate" -W ignore bench/python.py "$sets" --runs "$runs" \
                ${part:+--only "${part#-}"} --json "$out/python$part.json" 2>/dev/null | tee "$out/python$part.txt"
            return
        fi
    done
    echo "run.sh: no Python here has scikit-learn" >&2
}

# measure_shapes [--scaling]: the grid, or the series.
measure_shapes()
{
    name=$out/shapes${1:+-scaling}
    [ "$quick" = 0 ] || set -- "$@" --quick
    bench/shapes.sh "$build" "$@" --runs "$runs" --json "$name.json" | tee "$name.txt"
}

if [ -n "$only" ] && [ "$only" != read ]; then
    mkdir -p "$out"
    case $only in
    svm) measure_svm '' ;;
    svm-*) measure_svm "$only" ;;
    kernel) measure_kernel '' ;;
    kernel-*) measure_kernel "$only" ;;
    knn) measure_knn '' ;;
    knn-*) measure_knn "$only" ;;
    python*) measure_python "$only" ;;
    shapes) measure_shapes ;;
    shapes-scaling) measure_shapes --scaling ;;
    *) "measure_$only" ;;
    esac
    exit
fi

halfspace=$build/halfspace
reader=$build/bench/read
samples=$out/samples.txt
mkdir -p "$out" "$data"
: >"$samples"

python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import pandas' 2>/dev/null || python=$candidate
done
liblinear=$(command -v liblinear-train || true)
[ -z "$liblinear" ] || cc -O2 -shared -fPIC bench/others/liblinear_read.c -o "$out/liblinear_read.so"

# ---- The files ----

# make_file NAME ROWS-PER-MB ARGUMENTS...: a file of about `size` MB.
make_file()
{
    file=$data/$1
    rows=$(($2 * size))
    shift 2
    [ -s "$file" ] || { echo "making $file" >&2 && "$halfspace" make "$@" -q --rows "$rows" -o "$file"; }
}

# ones: like a9a, 123 columns, about 14 ones a row. text: like tf-idf, about 75 weights of four digits a row
# of 50,000 columns. digits: such rows with all the 17 digits of a double. table: 20 columns of decimals.
ones=$data/ones-$size.svm
text=$data/text-$size.svm
digits=$data/digits-$size.svm
table=$data/table-$size.csv
make_file "ones-$size.svm" 13340 text --features 123 --nonzeros 14 --values ones
make_file "text-$size.svm" 1060 text --features 50000 --nonzeros 75
make_file "table-$size.csv" 6650 halfspace --features 20
if [ ! -s "$digits" ]; then
    make_file "few-$size.svm" 485 text --features 50000 --nonzeros 75
    "$halfspace" scale -q "$data/few-$size.svm" "$digits" --kind unit-rows --precision double
    rm "$data/few-$size.svm"
fi
for file in "$ones" "$text"; do
    [ -s "${file%.svm}.hsp" ] || "$halfspace" convert -q "$file" "${file%.svm}.hsp"
done
cat "$data"/*-"$size".* >/dev/null # into the file cache

# ---- The measurements ----

# take WHAT WHO FILE COMMAND...: one sample, "what|who|bytes|seconds=... peak=... ...".
take()
{
    what=$1 who=$2 bytes=$(wc -c <"$3")
    shift 3
    if line=$("$@" 2>/dev/null | grep '^seconds='); then
        echo "$what|$who|$bytes|$line" >>"$samples"
    else
        echo "run.sh: $who could not do '$what'" >&2
    fi
}

# libsvm_text WHAT FILE
libsvm_text()
{
    take "$1" 'halfspace, 1 thread' "$2" "$reader" "$2" threads=1
    take "$1" 'halfspace, 2 threads' "$2" "$reader" "$2" threads=2
    [ -z "$liblinear" ] || take "$1" LIBLINEAR "$2" \
        env LD_PRELOAD="$PWD/$out/liblinear_read.so" "$liblinear" "$2" /dev/null
}

# binary_cache WHAT TEXT: of the same rows.
binary_cache()
{
    take "$1" 'open' "$2" "$reader" "${2%.svm}.hsp" until=open
    take "$1" 'open and check, 1 thread' "$2" "$reader" "${2%.svm}.hsp" threads=1
    take "$1" 'open and check, 2 threads' "$2" "$reader" "${2%.svm}.hsp" threads=2
    take "$1" 'and checksums, 2 threads' "$2" "$reader" "${2%.svm}.hsp" threads=2 until=verify
}

round()
{
    libsvm_text 'libsvm text, ones' "$ones"
    libsvm_text 'libsvm text, weights of 4 digits' "$text"
    libsvm_text 'libsvm text, weights of 17 digits' "$digits"
    binary_cache 'binary cache of the ones' "$ones"
    binary_cache 'binary cache of the weights of 4 digits' "$text"
    what='CSV, 20 columns of decimals'
    take "$what" 'halfspace, float32, 1 thread' "$table" "$reader" "$table" threads=1
    take "$what" 'halfspace, float32, 2 threads' "$table" "$reader" "$table" threads=2
    take "$what" 'halfspace, float64, 1 thread' "$table" "$reader" "$table" threads=1 precision=double
    take "$what" 'halfspace, float64, 2 threads' "$table" "$reader" "$table" threads=2 precision=double
    [ -n "$python" ] || return 0
    take "$what" 'pandas, float32' "$table" "$python" bench/others/pandas_read.py "$table" float32
    take "$what" 'pandas, float64' "$table" "$python" bench/others/pandas_read.py "$table" float64
    take "$what" 'pandas, float64, round_trip' "$table" \
        "$python" bench/others/pandas_read.py "$table" float64 round_trip
}

i=0
while [ "$i" -lt "$runs" ]; do
    i=$((i + 1))
    echo "round $i of $runs" >&2
    round
done

# ---- The report ----

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
awk -F'|' -v cpu="${cpu:-unknown}" -v cores="$(nproc)" -v size="$size" -v runs="$runs" \
    -v json="$out/results.json" -f bench/report.awk "$samples"
[ -z "$only" ] || exit 0
measure_vec
measure_product
measure_perceptron
measure_svm ''
measure_kernel ''
measure_knn ''
measure_python ''
measure_shapes
