#!/bin/sh
# The checks of the source, on the source, and on trees with a fault planted for each of them.
set -u
cd "$(dirname "$0")/../.." || exit 1
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
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

# plant FILE TEXT: a tree of one file.
plant()
{
    rm -rf "${tree:?}/"*
    mkdir -p "$tree/$(dirname "$1")" "$tree/src/base" "$tree/src/data" "$tree/cli"
    printf '%b' "$2" >"$tree/$1"
}

# caught CHECK NAME: the check must refuse the tree.
caught()
{
    ! "tools/$1" "$tree" >/dev/null 2>&1
    report $? "$2 is caught"
}

tools/check-layers
report $? 'layers'
tools/check-source
report $? 'sizes and leftovers'

plant src/data/a.c '#include "base/text.h"\n#include "vec/vec.h"\n#include "data/data.h"\n#include "halfspace.h"\n'
tools/check-layers "$tree"
report $? 'sound layers pass'
plant src/base/a.c '#include "data/data.h"\n'
caught check-layers 'base that includes data'
plant src/data/a.c '# include "../learn/learn.h"\n'
caught check-layers 'a path with dots'
plant cli/a.c '#include "base/text.h"\n'
caught check-layers 'a command that includes the inside'
plant verify/a.c '#include "halfspace.h"\n'
caught check-layers 'a checker that includes the library'
plant src/misc/a.c '#include "halfspace.h"\n'
caught check-layers 'an unknown room'
plant src/data/a.c "void f(void)\n{\n$(seq 79 | sed 's/.*/    ;/')\n}\n"
caught check-source 'a long function'
plant src/data/a.c "$(seq 901 | sed 's|.*|/* & */|')\n"
caught check-source 'a long file'
plant src/data/a.c '/* TO''DO */\n'
caught check-source 'a leftover'
exit $failed
