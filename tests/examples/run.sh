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

[ "$("$build/examples/train" examples/iris.csv "$folder/setosa.hsp")" = 'converged after 4 passes and 5 updates
50 rows are setosa' ] && [ -s "$folder/setosa.hsp" ]
report $? 'examples/train.c'

[ "$("$build/examples/arrays" | cut -d, -f1-2 | tail -n 1)" = '(3, 4) is far' ]
report $? 'examples/arrays.c'

[ "$("$build/examples/step" | tail -n 1)" = 'true when 2 a + 2 b > 1' ]
report $? 'examples/step.c'

TMPDIR=$folder examples/iris.sh "$build/halfspace" >"$folder/said" && cat "$folder"/halfspace-iris.*/predictions.txt >"$folder/made" &&
    [ "$(wc -l <"$folder/made")" -eq 45 ] && grep -q "DID NOT CONVERGE" "$folder/said"
report $? 'examples/iris.sh'

# Every line of C in the README is a line of the example.
# shellcheck disable=SC2016 # backquotes as such
sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' | sed 's/^ *//' >"$folder/shown"
sed 's/^ *//' examples/train.c >"$folder/there"
[ -s "$folder/shown" ] && ! grep -qvxF -f "$folder/there" "$folder/shown"
report $? "the README's program"

# Every page that a page links to is there; code between fences has no links.
# shellcheck disable=SC2016 # backquotes as such
dangling=$(for page in README.md CONTRIBUTING.md docs/*.md; do
    sed '/^ *```/,/^ *```$/d' "$page" | grep -o '](\([^)#]*\)' | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done)
[ -z "$dangling" ] || echo "$dangling" >&2
[ -z "$dangling" ]
report $? 'links between pages'
exit $failed
