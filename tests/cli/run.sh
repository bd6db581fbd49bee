#!/bin/sh
# The command as a user types it.
#
#   tests/cli/run.sh [BUILD] [NAME ...]      run all cases, or the named ones
#   tests/cli/run.sh --update [NAME ...]     write down what they print now; read the difference!
#
# A case is COMMAND/NAME.sh with NAME.out, what it must print. NAME.err is what it must say on standard error, if that
# matters; NAME.exit its exit status, if that is not 0. Folder all has what concerns every command, docs what the
# documentation shows. A name is a folder, a case (train/svm, train-svm), or the name of a case in any folder (svm). If a
# name means no case, nothing is run or written.
#
# A case runs in an empty folder of its own, with `halfspace` in its PATH, EXAMPLES naming the folder of examples and
# COMMANDS the commands that the program has. A case asks one question, which its first line says, or a few that need the
# same files: then `question TEXT` prints a line at the head of each, and a case that fails names the question at which it
# did. A case that ends with status 77 is skipped; its last line says why.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
update=
[ "${1-}" = --update ] && update=1 && shift
build=build
if [ -d "${1-}" ]; then
    build=$1
    shift
fi
HALFSPACE=${HALFSPACE:-$root/$build/halfspace}
EXAMPLES=$root/examples
export HALFSPACE EXAMPLES
[ -x "$HALFSPACE" ] || { echo "FAILED cli: there is no $HALFSPACE"; exit 1; }

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
mkdir "$scratch/bin"
ln -s "$HALFSPACE" "$scratch/bin/halfspace"
# shellcheck disable=SC2016 # the script expands it
printf '#!/bin/sh\necho "-- $1"\n' >"$scratch/bin/question"
chmod +x "$scratch/bin/question"
PATH=$scratch/bin:$PATH
unset NO_COLOR HSP_SIMD
LC_ALL=C
COMMANDS=$(halfspace help --json | sed -n 's/^      "name": "\(.*\)",$/\1/p')
export PATH LC_ALL COMMANDS

# Compare what there is with what there should be; say how they differ.
same()
{
    cmp -s "$2" "$3" && return 0
    echo "$1:" >&2
    diff -u "$2" "$3" | head -40 >&2
    return 1
}

# The question in which the first of two outputs begins to differ from the second: ": TEXT", or nothing.
asked()
{
    line=$(cmp "$1" "$2" 2>/dev/null | sed -n 's/.* line //p')
    head -n "${line:-$(wc -l <"$2")}" "$1" | sed -n 's/^-- /: /p' | tail -n 1
}

run_case()
{
    case=$1 got=$scratch/got
    rm -rf "$scratch/work" && mkdir "$scratch/work"
    (cd "$scratch/work" && exec sh "$here/$case.sh") >"$got.out" 2>"$got.err" </dev/null
    echo $? >"$got.exit"
    if [ "$(cat "$got.exit")" = 77 ]; then
        echo "skipped $case: $(tail -n 1 "$got.out")"
        return 77
    fi
    if [ "$update" ]; then
        cp "$got.out" "$here/$case.out"
        [ -f "$here/$case.err" ] && cp "$got.err" "$here/$case.err"
        rm -f "$here/$case.exit"
        [ "$(cat "$got.exit")" = 0 ] || cp "$got.exit" "$here/$case.exit"
    fi
    wanted_exit=$here/$case.exit right=1
    [ -f "$wanted_exit" ] || { wanted_exit=$scratch/zero && echo 0 >"$wanted_exit"; }
    same "$case: standard output" "$here/$case.out" "$got.out" || right=
    same "$case: exit status" "$wanted_exit" "$got.exit" || right=
    if [ -f "$here/$case.err" ]; then
        same "$case: standard error" "$here/$case.err" "$got.err" || right=
    elif [ ! "$right" ]; then
        sed "s|^|$case: |" "$got.err" >&2
    fi
    [ "$right" ] && echo "ok $case" && return 0
    echo "FAILED $case$(asked "$here/$case.out" "$got.out")"
    return 1
}

# The cases that a name means, one per line; nothing if there is none.
cases()
{
    case $1 in
    '' | run | .* | */.*) return ;;
    esac
    if [ -d "$here/$1" ]; then
        set -- "$here/$1"/*.sh
    elif [ -f "$here/$1.sh" ]; then
        set -- "$here/$1.sh"
    elif [ -f "$here/${1%%-*}/${1#*-}.sh" ]; then
        set -- "$here/${1%%-*}/${1#*-}.sh"
    else
        set -- "$here"/*/"$1.sh"
    fi
    for script; do
        [ -f "$script" ] || continue
        script=${script#"$here/"}
        echo "${script%.sh}"
    done
}

# shellcheck disable=SC2046 # folders are words
[ $# -gt 0 ] || set -- $(cd "$here" && echo */)
named=
for name; do
    meant=$(cases "${name%/}")
    [ "$meant" ] || { echo "FAILED $name: there is no such case" && exit 1; }
    named="$named $meant"
done
passed=0 failed=0
for case in $named; do
    run_case "$case"
    case $? in
    0) passed=$((passed + 1)) ;;
    77) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
for stray in "$here"/*.*; do
    [ "$stray" = "$here/run.sh" ] && continue
    echo "FAILED ${stray##*/}: a case belongs in the folder of its command"
    failed=$((failed + 1))
done
for stray in "$here"/*/*.*; do
    [ -f "${stray%.*}.sh" ] && continue
    echo "FAILED ${stray#"$here/"}: there is no such case"
    failed=$((failed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
