#!/bin/sh
# More than 2^31 non-zeros: make check-large, or tests/large/run.sh BUILD [FOLDER].
#
# A cache of 2,150,000 rows of 1,000 ones is written to FOLDER (8.6 GB, removed at the end), and read by
# the commands whose counters could overflow. The rows are eight, over and over: what must come out is
# known. Not part of make test: it takes 9 GB of disk and several minutes.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
folder=$(mktemp -d "${2:-/tmp}/halfspace-large-XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
halfspace=$PWD/$build/halfspace
failed=0

# printed NAME WORDS: what the last command printed holds the words.
printed()
{
    if grep -qF -- "$2" "$folder/out"; then
        echo "ok $1"
    else
        echo "FAILED $1: expected $2"
        tail -n 30 "$folder/out" "$folder/err" >&2
        failed=1
    fi
}
# expect NAME WORDS COMMAND...: the command succeeds and prints the words.
expect()
{
    name=$1 words=$2
    shift 2
    "$@" >"$folder/out" 2>"$folder/err" || echo "status $?" >"$folder/out"
    printed "$name" "$words"
}

# shellcheck disable=SC2317 # called through `expect`
last_row() { "$halfspace" convert -q "$folder/big.hsp" - --to libsvm | tail -n 1 | cut -c 1-20; }
# How many rows were predicted to be of each class, and of which class the last one is.
# shellcheck disable=SC2317
predicted()
{
    "$halfspace" predict -q "$folder/m.hsp" "$folder/big.hsp" |
        awk '{ count[$1]++; last = $1 } END { print count["a"], count["b"], last }'
}

python3 - "$folder/big.hsp" <<'END' || exit 1
import json, struct, sys
rows, width, kinds = 2150000, 1000, 8
meta = {"format": "halfspace-data", "version": "1", "storage": "ones", "precision": "single", "rows": str(rows),
        "cols": str(kinds * width), "nonzeros": str(rows * width), "classes": '["a","b"]', "index_base": "1"}
sizes = [("starts", "U64", rows + 1, 8), ("indices", "U32", rows * width, 4), ("labels", "U32", rows, 4)]
header, at = {"__metadata__": meta}, 0
for name, dtype, count, size in sizes:
    header[name] = {"dtype": dtype, "shape": [count], "data_offsets": [at, at + count * size]}
    at += count * size
text = json.dumps(header).encode()
text += b" " * (-len(text) % 64)
kind = [struct.pack("<%dI" % width, *range(k, kinds * width, kinds)) for k in range(kinds)]
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text)
    for first in range(0, rows + 1, 50000):
        some = range(first, min(first + 50000, rows + 1))
        file.write(struct.pack("<%dQ" % len(some), *(i * width for i in some)))
    for i in range(rows // kinds):
        file.write(b"".join(kind))
    file.write(struct.pack("<%dI" % rows, *(i % kinds * 2 // kinds for i in range(rows))))
END

expect 'inspect: non-zeros' '2,150,000,000' "$halfspace" inspect -q "$folder/big.hsp"
printed 'inspect: duplicate rows' '2,149,992'
expect 'train perceptron' '0% (0 of 2,150,000 rows)' "$halfspace" train perceptron -q --passes 3 "$folder/big.hsp" -o "$folder/m.hsp"
expect 'predict' '1075000 1075000 b' predicted
expect 'eval' 'error' "$halfspace" eval -q "$folder/m.hsp" "$folder/big.hsp"
printed 'eval: rows' '2,150,000'
expect 'train svm' '0% (0 of 2,150,000 rows)' "$halfspace" train svm -q "$folder/big.hsp" -o "$folder/m.hsp"
expect 'predict by the svm' '1075000 1075000 b' predicted
expect 'convert: the last row' 'b 8:1 16:1 24:1' last_row
exit $failed
