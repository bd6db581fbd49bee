#!/bin/sh
# After the proofs are compiled: no theorem rests on an axiom, and the proved checker agrees with the others.
# tests/proved/run.sh BUILD [CERTIFICATES [TAMPERINGS_EACH [SEED]]]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:?which build?}
log=$build/proof/check.log

# What is trusted is read by people, so it is short.
reader_is_short()
{
    lines=$(wc -l <proof/reader.ml)
    if [ "$lines" -lt 400 ]; then
        echo "ok the reader has $lines lines"
    else
        echo "FAILED the reader has $lines lines; at most 399 are allowed"
    fi
}

# The program as one types it.
programs()
{
    proved=$build/halfspace-verify-proved
    "$proved" >/dev/null 2>&1
    usage=$?
    "$proved" proof/nothing proof/nothing >/dev/null 2>&1
    file=$?
    printf '1 1:1\n-1 1:-1\n' >"$build/proof/two.svm"
    printf '{"format": "halfspace certificate", "version": 2, "data": {"file": "two.svm", "sha256": "%s", "rows": 2,
        "columns": 1, "format": "libsvm", "index_base": 1, "negative": ["-1"], "positive": ["1"]}, "claims": [{"claim":
        "separable", "offset": true, "separator": {"w": [[1, "1"]], "b": "0"}}]}' \
        "$(sha256sum <"$build/proof/two.svm" | cut -c 1-64)" >"$build/proof/two.cert"
    "$proved" "$build/proof/two.cert" "$build/proof/two.svm" >/dev/null 2>&1
    holds=$?
    "$proved" "$build/proof/two.cert" "$build/proof/two.svm" >/dev/full 2>/dev/null
    full=$?
    if [ "$usage $file $holds $full" = '2 3 0 4' ]; then
        echo 'ok statuses of usage, of missing files, and of a full disk'
    else
        echo "FAILED statuses of usage, of missing files, and of a full disk: $usage $file $holds $full"
    fi
}

# Evidence from 300,000 rows, in a stack of the usual size; a folder in the place of a file.
large()
{
    awk 'BEGIN { for (i = 0; i < 150000; i++) print "1 1:1\n-1 1:1" }' >"$build/proof/twins.svm"
    {
        printf '{"format": "halfspace certificate", "version": 2, "data": {"file": "twins.svm", "sha256": "%s", "rows": 300000,
            "columns": 1, "format": "libsvm", "index_base": 1, "negative": ["-1"], "positive": ["1"]}, "claims": [{"claim":
            "not separable", "offset": true, "multipliers": [' "$(sha256sum <"$build/proof/twins.svm" | cut -c 1-64)"
        awk 'BEGIN { for (i = 1; i <= 300000; i++) printf "%s[%d, \"1\"]", (i > 1 ? ", " : ""), i; print "]}]}" }'
    } >"$build/proof/twins.cert"
    statuses=$(
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -s 8192
        for checker in halfspace-verify halfspace-verify-core halfspace-verify-proved; do
            "$build/$checker" "$build/proof/twins.cert" "$build/proof/twins.svm" >/dev/null 2>&1
            printf '%s ' "$?"
            "$build/$checker" "$build/proof" "$build/proof/two.svm" >/dev/null 2>&1
            printf '%s ' "$?"
        done
    )
    if [ "$statuses" = '0 3 0 3 0 3 ' ]; then
        echo 'ok evidence from 300,000 rows holds, and a folder is no file'
    else
        echo "FAILED evidence from 300,000 rows, and a folder as a file: $statuses"
    fi
}

{
    proof/assumptions "$build/proof" 2>&1
    reader_is_short
    programs
    large
    PYTHONDONTWRITEBYTECODE=1 python3 tests/proved/agree.py "$@" 2>&1
} | tee "$log"
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^FAILED ' "$log")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq 5 ]
