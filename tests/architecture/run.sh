#!/bin/sh
# Does a command reach its loop by the calls that docs/architecture.md lists? Compared with the call stack in gdb:
#   tests/architecture/run.sh BUILD
# A section of the page has one table per command; the last function of the table is where gdb stops.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$PWD/$1/halfspace
page=$PWD/docs/architecture.md
if ! command -v gdb >/dev/null; then
    echo "skipped call chains: there is no gdb here"
    exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$program" make text --rows 300 --features 500 -q -o rows.svm >/dev/null
"$program" train svm rows.svm -q -o model.hsp >/dev/null
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

# "file function" per line, from main on: as the page has them for the command that begins with `halfspace $1`.
listed()
{
    awk -v start="\`halfspace $1 " -v tick='`' 'index($0, start) == 1 { inside = 1 }
        inside && /^\| `/ { table = 1; n = split($0, cell, "|"); file = cell[2]; gsub("[ " tick "]", "", file)
            count = split(cell[3], name, ","); for (i = 1; i <= count; i++) { gsub("[ " tick "]", "", name[i]); print file, name[i] } next }
        table && !/^\|/ { exit }' "$page"
}

# The same from gdb; a function that the compiler split in two is there once.
called()
{
    at=$1
    shift
    gdb -batch -nx -ex "break $at" -ex run -ex bt --args "$program" "$@" -q --threads 1 2>gdb.err </dev/null |
        sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_0-9]*\) .* at \([^ ]*\):[0-9]*$/\3 \2/p' | tac | uniq
}

# check COMMAND CALLS FILES ARGUMENT ...: at most so many calls below main, through at most so many files.
check()
{
    command=$1 calls=$2 files=$3
    shift 3
    listed "$command" >listed.txt
    [ -s listed.txt ]
    report $? "$command: the page lists a chain"
    called "$(tail -n 1 listed.txt | cut -d' ' -f2)" "$@" >called.txt
    if [ ! -s called.txt ]; then
        echo "skipped $command: gdb shows no call stack: $(tail -n 1 gdb.err)"
        return
    fi
    diff listed.txt called.txt >&2
    report $? "$command: the calls are those of the page"
    [ $(($(wc -l <called.txt) - 1)) -le "$calls" ]
    report $? "$command: at most $calls calls below main"
    [ "$(cut -d' ' -f1 called.txt | sort -u | wc -l)" -le "$files" ]
    report $? "$command: through at most $files files"
}

check train 12 12 train svm --solver dcd rows.svm
[ "$(cut -d' ' -f1 called.txt | uniq | sort | uniq -d | wc -l)" -eq 0 ]
report $? 'train: each file is entered once'
check predict 15 12 predict model.hsp rows.svm -o classes.txt
check certify 12 12 certify rows.svm
[ "$(cut -d' ' -f1 called.txt | uniq | sort | uniq -d | wc -l)" -eq 0 ]
report $? 'certify: each file is entered once'
exit $failed
