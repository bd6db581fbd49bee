#!/bin/sh
# Run every test of a build and count.
#
#   tests/run.sh BUILD [quick|asan|tsan]
#
# quick: only what tests/quick lists. A suite is a program that prints one line per test, "ok NAME", "FAILED NAME" or "skipped NAME: why",
# and exits 0 if none failed. A suite that ends otherwise without a FAILED line, or that ran nothing
# at all, counts as one failed test. What a suite printed is kept in BUILD/log/.
set -u
cd "$(dirname "$0")/.." || exit 1

# One suite: its output to a log, then, in one piece, what it found.
if [ "${1-}" = --suite ]; then
    name=$2
    shift 2
    log=$BUILD/log/$(echo "$name" | tr / -)
    # shellcheck disable=SC2086 # RUNNER is a command and its options, or nothing
    timeout -k 10 "$TIME_LIMIT" $RUNNER "$@" >"$log.out" 2>"$log.err" </dev/null
    status=$?
    grep -aE '^(ok|FAILED|skipped) ' "$log.out" | sed "s|^\([a-zA-Z]*\) |\1 $name: |" >"$log.lines"
    if [ "$status" -ne 0 ] && ! grep -q '^FAILED ' "$log.lines"; then
        echo "FAILED $name: ended with status $status" >>"$log.lines"
    elif [ "$status" -eq 0 ] && grep -q '^FAILED ' "$log.lines"; then
        echo "FAILED $name: a test failed, yet the status is 0" >>"$log.lines"
    elif [ ! -s "$log.lines" ]; then
        echo "FAILED $name: no test ran" >>"$log.lines"
    fi
    if grep -q '^FAILED ' "$log.lines"; then
        cat "$log.lines" "$log.err"
    else
        cat "$log.lines"
    fi
    exit 0
fi

BUILD=${1:?which build?}
kind=${2-plain}
RUNNER=
TIME_LIMIT=${TIME_LIMIT-900}
HALFSPACE=$PWD/$BUILD/halfspace
export BUILD RUNNER TIME_LIMIT HALFSPACE
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
log=$PWD/$BUILD/log
rm -rf "$log" && mkdir -p "$log" || exit 1

# The sanitizer first shows that it catches bugs planted for it; if it does not, its silence about
# ours means nothing. Its later reports go to files of their own, whatever the tests do with stderr.
if [ "$kind" = asan ] || [ "$kind" = tsan ]; then
    . tests/sanitizers/planted.sh
    planted_check "$kind" || exit 1
    options="log_path=$log/sanitizer:exitcode=99:allocator_may_return_null=1"
    export ASAN_OPTIONS="$options:detect_leaks=1" UBSAN_OPTIONS="$options:print_stacktrace=1"
    export TSAN_OPTIONS="$options:halt_on_error=1"
    export LSAN_OPTIONS="suppressions=$PWD/tests/sanitizers/others-leaks:print_suppressions=0"
fi

# "name command argument ..." of every suite.
suites()
{
    if [ "$kind" = quick ]; then
        grep -v '^#' tests/quick | while read -r name cases; do
            case $name in
            cli) echo "cli tests/cli/run.sh $BUILD $cases" ;;
            *) echo "$name $BUILD/tests/$name" ;;
            esac
        done
        return 0
    fi
    for program in "$BUILD"/tests/*/test_*; do
        [ -x "$program" ] && echo "${program#"$BUILD"/tests/} $program"
    done
    for program in "$BUILD"/replay/fuzz_*; do
        target=${program##*/fuzz_}
        [ -x "$program" ] && echo "replay/$target $program fuzz/corpus/$target"
    done
    [ -x tests/cli/run.sh ] && echo "cli tests/cli/run.sh $BUILD"
    echo "examples tests/examples/run.sh $BUILD"
    [ "$kind" = plain ] || return 0
    for script in tests/oracles/oracle_*.py; do
        oracle=${script##*/oracle_}
        [ -f "$script" ] && echo "oracles/${oracle%.py} tests/oracles/run.sh $script"
    done
    echo "bench/shapes tests/oracles/run.sh tests/bench/shapes.py"
    [ -x "$BUILD/halfspace-verify" ] && echo "verify/agree tests/verify/run.sh $BUILD"
    echo "api tests/api/run.sh $BUILD"
    echo "architecture tests/architecture/run.sh $BUILD"
    echo "exact tests/exact/run.sh $BUILD"
    if command -v python3 >/dev/null; then
        echo "same-bits tests/same-bits/run"
        echo "same-bits/test tests/same-bits/test"
    fi
    echo "install tests/install/run.sh $BUILD"
    for script in tests/adding/*.sh; do
        adding=${script##*/}
        echo "adding/${adding%.sh} $script $BUILD"
    done
    echo "tools tests/tools/run.sh $BUILD"
}

suites | xargs -P "$jobs" -L 1 tests/run.sh --suite

# A report of a sanitizer that could not even start (a test that limits memory) is not about our code.
for report in "$log"/sanitizer.*; do
    grep -qsE 'SUMMARY:|runtime error:' "$report" || continue
    echo "FAILED sanitizer: $(grep -m 1 -E 'ERROR|WARNING|runtime error' "$report")" >>"$log/sanitizer.lines"
    cat "$report"
done

count() { cat "$log"/*.lines | grep -c "^$1 "; }
passed=$(count ok) failed=$(count FAILED) skipped=$(count skipped)
if [ "$failed" -gt 0 ]; then
    echo
    cat "$log"/*.lines | grep '^FAILED '
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
