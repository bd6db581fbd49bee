#!/bin/sh
# The examples do what they say, and the README shows them as they are: tests/examples/run.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

report()
{
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "FAILED $2"
        failed=1
    fi
}

[ "$("$build/examples/read" examples/iris.csv)" = '150 rows, 4 features, 3 classes' ]
report $? 'examples/read.c'

TMPDIR=$folder examples/iris.sh "$build/halfspace" >"$folder/said" && cat "$folder"/halfspace-iris.*/train.hsp >"$folder/made" &&
    [ -s "$folder/made" ]
report $? 'examples/iris.sh'

# Every line of C in the README is a line of the example.
# shellcheck disable=SC2016 # backquotes as such
sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' | sed 's/^ *//' >"$folder/shown"
sed 's/^ *//' examples/read.c >"$folder/there"
[ -s "$folder/shown" ] && ! grep -qvxF -f "$folder/there" "$folder/shown"
report $? "the README's program"

# Every page that a page links to is there.
dangling=$(for page in README.md CONTRIBUTING.md docs/*.md; do
    grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done)
[ -z "$dangling" ] || echo "$dangling" >&2
[ -z "$dangling" ]
report $? 'links between pages'
exit $failed
