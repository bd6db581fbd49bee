#!/bin/sh
# The page docs/development/adding.md adds a learner with one source file and one word in the registry: do that in a
# copy of the source, build it, and compare its models with means computed here:  tests/adding/learner.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
. tests/adding/common

# The file and the line of the registry are the code blocks of the section "A learner".
block()
{
    sed -n '/^## A learner$/,/^## A loss$/p' docs/development/adding.md | awk -v want="$1" '
        /^```c$/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside && n == want'
}
tree=$copy/tree
mkdir -p "$tree/build" && cp -a Makefile include src cli verify tools "$tree/" && cp -a "$build/obj" "$build/flags" "$tree/build/" || exit 1
block 1 >"$tree/src/learn/nearest_centroid.c"
line=$(block 2)
[ -s "$tree/src/learn/nearest_centroid.c" ] && [ "$(echo "$line" | grep -c 'define HSP__LEARNERS')" -eq 1 ]
report $? 'the page has a source file and a line for the registry'
sed -i "s/^#define HSP__LEARNERS(X).*/$line/" "$tree/src/learn/learner.h"
[ "$(sed 's/ X(nearest_centroid)//' "$tree/src/learn/learner.h" | cmp - src/learn/learner.h 2>&1)" = '' ]
report $? 'the line adds one word'

unset MAKEFLAGS MAKELEVEL # a job server of the caller's is not ours to use
make -s -C "$tree" BUILD=build CC="$(sed 's/ -std=.*//' "$build/flags")" build/halfspace >&2
report $? 'the copy builds'
cd "$copy" || exit 1
PATH=$tree/build:$PATH

# Three classes in a table: with one-vs-one, the class of the nearest mean.
awk 'BEGIN { srand(7); print "x,y,class"
    for (i = 0; i < 300; i++) { c = i % 3; printf "%.4f,%.4f,%s\n", (c == 1) * 3 + rand() * 4, (c == 2) * 3 + rand() * 4, substr("abc", c + 1, 1) } }' >rows.csv
halfspace train nearest-centroid rows.csv -o model.hsp >report.txt
report $? 'train'
grep -q 'training error' report.txt
report $? 'the report has a training error'
halfspace predict model.hsp rows.csv -o classes.txt -q
awk -F, 'NR == 1 { next }
    { x[NR] = $1; y[NR] = $2; n[$3]++; sx[$3] += $1; sy[$3] += $2 }
    END { for (i = 2; i <= NR; i++) { best = ""
        for (c in n) { d = (x[i] - sx[c] / n[c]) ^ 2 + (y[i] - sy[c] / n[c]) ^ 2
            if (best == "" || d < least) { best = c; least = d } }
        print best } }' rows.csv >nearest.txt
[ "$(wc -l <nearest.txt)" -eq 300 ] && cmp classes.txt nearest.txt >&2
report $? 'every row is given the class of the nearest mean'
halfspace train nearest-centroid rows.csv --multiclass ovr --scale standard --calibrate platt -o other.hsp >&2 &&
    halfspace predict other.hsp rows.csv --probability -o p.txt -q 2>&1
report $? 'one-vs-rest, scaling and calibration need no code in the learner'
halfspace cv nearest-centroid rows.csv >&2
report $? 'cross-validation neither'
halfspace train --help | grep -q nearest-centroid && halfspace train nearest-centroid --help | grep -q -- '--multiclass'
report $? 'the help has it'
exit $failed
