#!/bin/sh
# The page docs/development/adding.md adds a loss with a patch: apply it to a copy of the source, build that,
# and check what the solvers find:  tests/adding/loss.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
. tests/adding/common

# The patch stands between ```diff and ``` in the section "A loss".
# shellcheck disable=SC2016 # the quotes are marks of the page
awk '/^## /{in_section = $0 == "## A loss"} in_section' docs/development/adding.md | sed -n '/^```diff$/,/^```$/p' | sed '/^```/d' >"$copy/loss.diff"

tree=$copy/tree
mkdir -p "$tree/build" "$tree/tests/adding" && cp -a Makefile include src cli verify tools "$tree/" &&
    cp -a tests/check.h tests/options.h tests/learn "$tree/tests/" && cp tests/adding/check_loss.c "$tree/tests/adding/test_loss.c" &&
    cp -a "$build/obj" "$build/flags" "$tree/build/" || exit 1
patch -s -d "$tree" -p1 <"$copy/loss.diff" >&2
report $? 'the patch applies'
files=$(grep -c '^+++ ' "$copy/loss.diff")
[ "$files" -ge 1 ] && [ "$files" -le 3 ]
report $? 'it touches at most three source files'

unset MAKEFLAGS MAKELEVEL # a job server of the caller's is not ours to use
# With the compiler of the build, only what the patch changes is compiled.
make -s -C "$tree" BUILD=build CC="$(sed 's/ -std=.*//' "$build/flags")" build/halfspace \
    build/tests/adding/test_loss >&2
report $? 'the copy builds'
"$tree/build/tests/adding/test_loss" || failed=1

halfspace=$tree/build/halfspace
"$halfspace" make halfspace --rows 300 --features 5 -o "$copy/rows.svm" >&2
for solver in newton dcd; do
    "$halfspace" train svm --loss huber --solver $solver --gap 1e-6 -o "$copy/model.hsp" "$copy/rows.svm" >&2
    report $? "train --loss huber --solver $solver"
done
"$halfspace" train svm --loss huber --kernel 'rbf(1)' -o "$copy/model.hsp" "$copy/rows.svm" 2>"$copy/said"
[ $? -eq 2 ] && grep -q -- '--loss' "$copy/said"
report $? 'a kernel refuses it'
exit $failed
