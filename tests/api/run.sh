#!/bin/sh
# The public headers as others use them: every call with NULL for each of its pointers; each header alone, in C
# and C++; the examples in C++:  tests/api/run.sh BUILD
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

if command -v python3 >/dev/null; then
    printf 'x,y,label\n1,2,a\n2,1,b\n3,5,a\n5,3,b\n1,3,a\n3,1,b\n' >"$folder/rows.csv"
    python3 tests/api/nulls.py include/*.h >"$folder/nulls.c" &&
        ${CC:-cc} -Iinclude "$folder/nulls.c" "$build/libhalfspace.so" -Wl,-rpath,"$PWD/$build" -o "$folder/nulls" &&
        (cd "$folder" && ./nulls) >"$folder/said" 2>"$folder/trail" </dev/null
    status=$?
    [ "$status" -eq 0 ] || { cat "$folder/said" && tail -n 2 "$folder/trail"; } >&2
    report "$status" "NULL for every pointer of $(tail -n 1 "$folder/trail")"
else
    echo 'skipped NULL for every pointer: python3 is not installed'
fi

cxx=
for compiler in g++ clang++; do
    [ "$cxx" ] || { command -v "$compiler" >/dev/null && cxx=$compiler; }
done
for header in include/*.h; do
    ${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -Iinclude -x c -fsyntax-only "$header" >&2
    report $? "$header alone as C"
done
if [ "$cxx" ]; then
    for source in include/*.h examples/*.c; do
        "$cxx" -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -Iinclude -x c++ "$source" >&2
        report $? "$source as C++"
    done
else
    echo 'skipped the headers and the examples as C++: there is no C++ compiler'
fi
exit $failed
