#!/bin/sh
# Data larger than memory: make check-memory, or tests/large/memory.sh BUILD [FOLDER [MEGABYTES]].
#
# Text of 4 GB is generated in FOLDER (removed at the end). Training, evaluation and splitting with --memory 256M must stay below
# 320 MB, by the kernel's figures, and give the bits of a run without a limit. Needs 12 GB of disk and 4 GB of memory, for the
# comparison.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
folder=$(mktemp -d "${2:-/var/tmp}/halfspace-memory-XXXXXX") || exit 1
megabytes=${3:-4000}
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
halfspace=$PWD/$build/halfspace
cd "$folder" || exit 1
TMPDIR=$folder
export TMPDIR
failed=0

# limited COMMAND...: with the limit; prints seconds and the peak.
limited()
{
    "$halfspace" "$@" --memory 256M -q --json >report 2>err || { echo "FAILED $*"; cat err; failed=1; return; }
    peak=$(sed -n 's/.*"peak_rss_bytes": \([0-9]*\).*/\1/p' report)
    if [ "${peak:-0}" -gt 1000000 ] && [ "$peak" -lt $((320 << 20)) ]; then
        echo "ok $* (peak $((peak >> 20)) MB)"
    else
        echo "FAILED $*: peak $peak bytes"
        failed=1
    fi
}
same()
{
    cmp "$1" "$2" || { echo "FAILED: $1 and $2 differ"; failed=1; }
}
"$halfspace" make halfspace --rows $((megabytes * 1350)) --features 100 --noise 0.05 -q -o rows.csv
ls -l rows.csv
for run in 'perceptron --passes 2' logistic 'svm --loss squared'; do
    # shellcheck disable=SC2086 # several words
    "$halfspace" train $run rows.csv -q -o whole.hsp >/dev/null 2>&1
    # shellcheck disable=SC2086
    limited train $run rows.csv -o limited.hsp
    same whole.hsp limited.hsp
done
limited eval whole.hsp rows.csv
mkdir copies
limited train logistic rows.csv --cache copies -o limited.hsp
limited train logistic rows.csv --cache copies --cache-remove -o again.hsp
same limited.hsp again.hsp
rm rows.csv
"$halfspace" make text --rows $((megabytes * 1000)) --features 1000000 -q -o text.svm
ls -l text.svm
limited train svm --solver dcd text.svm -o limited.hsp
limited train perceptron --passes 2 text.svm -o limited.hsp
exit $failed
