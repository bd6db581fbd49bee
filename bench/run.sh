#!/bin/sh
# Measure reading, side by side with the programs people use today, in one run:
#   bench/run.sh BUILD [--size MB] [--runs N] [--data DIR] [--quick]
#
# Files of about MB megabytes are made once (by halfspace make, with fixed seeds) and kept in DIR; if
# DIR already has files of those names, they are taken as they are. Every reader gets a fresh process
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
size=500 runs=5 data=build/bench/data quick=0
while [ $# -gt 0 ]; do
    case $1 in
    --size) size=$2 && shift 2 ;;
    --runs) runs=$2 && shift 2 ;;
    --data) data=$2 && shift 2 ;;
    --quick) quick=1 && shift ;;
    *) echo "run.sh: what is $1?" >&2 && exit 2 ;;
    esac
done
[ "$quick" = 0 ] || size=20
[ "$runs" -ge 5 ] || { echo 'run.sh: a median of fewer than 5 says little' >&2; exit 2; }

out=build/bench
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

# Like a9a: 123 columns, about 14 ones a row. Like text: about 75 long decimals a row of 50,000 columns.
short=$data/short-$size.svm
long=$data/long-$size.svm
table=$data/table-$size.csv
make_file "short-$size.svm" 14200 text --features 123 --nonzeros 14 --values ones
make_file "long-$size.svm" 720 text --features 50000 --nonzeros 75
make_file "table-$size.csv" 5200 halfspace --features 20
for text in "$short" "$long"; do
    [ -s "${text%.svm}.hsp" ] || "$halfspace" convert -q "$text" "${text%.svm}.hsp"
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

round()
{
    for kind in short long; do
        eval "text=\$$kind"
        what="libsvm text, $kind numbers"
        # shellcheck disable=SC2154 # eval sets it
        take "$what" 'halfspace, 1 thread' "$text" "$reader" "$text" threads=1
        take "$what" 'halfspace, 2 threads' "$text" "$reader" "$text" threads=2
        [ -z "$liblinear" ] || take "$what" LIBLINEAR "$text" \
            env LD_PRELOAD="$PWD/$out/liblinear_read.so" "$liblinear" "$text" /dev/null
        cache=${text%.svm}.hsp
        what="binary cache, $kind numbers"
        take "$what" 'halfspace, open' "$text" "$reader" "$cache" until=open
        take "$what" 'halfspace, open and check' "$text" "$reader" "$cache" threads=2
        take "$what" 'halfspace, and checksums' "$text" "$reader" "$cache" threads=2 until=verify
    done
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
if [ -x "$build/bench/vec" ]; then
    echo
    "$build/bench/vec" | tee "$out/vec.txt"
fi
