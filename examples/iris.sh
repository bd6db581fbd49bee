#!/bin/sh
# The main job on Fisher's irises, step by step; `make demo` runs this. What it writes goes to a
# folder of its own, named at the end.
#   examples/iris.sh [COMMAND]       COMMAND: the halfspace to use, by default the one in the PATH
set -eu
halfspace=$(command -v "${1:-halfspace}") || { echo 'iris.sh: there is no halfspace; make it first' >&2; exit 1; }
halfspace=$(cd "$(dirname "$halfspace")" && pwd)/$(basename "$halfspace")
work=$(mktemp -d "${TMPDIR:-/tmp}/halfspace-iris.XXXXXX")
cp "$(dirname "$0")/iris.csv" "$work"
cd "$work"

# Show a step as one would type it, then do it.
step()
{
    printf '\n# %s\n$ halfspace' "$1"
    shift
    printf ' %s' "$@"
    printf '\n'
    "$halfspace" "$@" 2>&1
}

step 'What is in the file?' inspect iris.csv
step 'Keep three rows in ten for testing, each species in proportion.' \
    split iris.csv train.csv test.csv --test 0.3
step 'Scale by what the training part shows, and keep the factors ...' \
    scale train.csv train.svm --kind standard --save factors.hsp
step '... for the rows that come later.' \
    scale test.csv test.svm --apply factors.hsp
step 'A binary file, which opens at once however large it is.' convert train.svm train.hsp
step 'It holds the same rows.' inspect train.hsp
printf '\nThe files are in %s.\n' "$work"
