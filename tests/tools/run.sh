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

# plant FILE TEXT ...: a tree of these files.
plant()
{
    rm -rf "${tree:?}/"*
    mkdir -p "$tree/src/base" "$tree/src/data" "$tree/cli"
    while [ $# -gt 0 ]; do
        mkdir -p "$tree/$(dirname "$1")"
        printf '%b' "$2" >"$tree/$1"
        shift 2
    done
}

# caught CHECK NAME [WORDS]: the check must refuse the tree, in these words.
caught()
{
    ! "tools/$1" "$tree" >"$tree/said" 2>&1 && grep -q "${3-.}" "$tree/said"
    report $? "$2 is caught"
}

tools/check-source
report $? 'sizes and leftovers'
tools/check-links
report $? 'links'
tools/check-words
report $? 'words'

# What the quick tests list is there, and every line of it is one that tests/run.sh understands.
quick_is_sound()
{
    grep -v '^#' "$1" | while read -r name cases; do
        case $name in
        cli) for case in $cases; do [ -f "tests/cli/$case.sh" ] || echo "$case"; done ;;
        *) [ -f "tests/$name.c" ] || echo "$name" ;;
        esac
    done >"$tree/missing"
    [ ! -s "$tree/missing" ]
}
quick_is_sound tests/quick
report $? 'the quick tests exist'
for line in 'base/test_nothing' 'cli train nothing'; do
    plant quick "$line\n"
    ! quick_is_sound "$tree/quick"
    report $? "a quick test that does not exist ($line) is caught"
done

# A case of the command that prints "new" where "old" is expected, and expected output of no case.
plant tests/cli/train/a.sh 'echo new\n' tests/cli/train/a.out 'old\n' build/halfspace ''
cp tests/cli/run.sh "$tree/tests/cli/"
chmod +x "$tree/build/halfspace"
cli() { sh "$tree/tests/cli/run.sh" "$@" >"$tree/said" 2>&1; }
for name in b run '' ..; do
    ! cli --update train/a "$name" && grep -qx old "$tree/tests/cli/train/a.out" &&
        [ "$(find "$tree/tests" -type f | wc -l)" -eq 3 ]
    report $? "a name that means no case ('$name') changes no expected output"
done
cli --update train/a && grep -qx new "$tree/tests/cli/train/a.out"
report $? 'a case that is named is updated'
: >"$tree/tests/cli/train/b.err"
! cli && grep -q '^FAILED train/b.err' "$tree/said"
report $? 'expected output without a case is caught'

if [ "${1-}" ] && command -v python3 >/dev/null; then
    python3 tests/base/decimal_powers.py "$1"
    report $? 'powers of ten'
    python3 tests/tools/advice.py "$1/halfspace"
    report $? 'options in messages'
    plant src/data/a.c '#define SAY "use --encodign FILE"\n'
    ! python3 tests/tools/advice.py "$1/halfspace" "$tree" 2>/dev/null
    report $? 'an option that no command has is caught'
    plant cli/cmd_predict.c '#define SAY "say --calibrate platt"\n'
    ! python3 tests/tools/advice.py "$1/halfspace" "$tree" 2>/dev/null
    report $? "another command's option is caught"
else
    echo 'skipped options in messages: there is no build, or no python3'
fi

if command -v python3 >/dev/null; then
    . tests/tools/layers.sh
else
    echo 'skipped layers: there is no python3'
fi
plant src/data/a.c "void f(void)\n{\n$(seq 79 | sed 's/.*/    ;/')\n}\n"
caught check-source 'a long function'
plant src/data/a.c "$(seq 901 | sed 's|.*|/* & */|')\n"
caught check-source 'a long file'
plant src/learn/a.c "/* assert(1) */ int a;\n$(seq 300 | sed 's/.*/int a&;/')\nvoid f(void)\n{\n    assert(1);\n}\n"
caught check-source 'a module with few assertions' '1 assertions in 305 lines of code'
plant src/data/a.c '/* TO''DO */\n'
caught check-source 'a leftover'
plant docs/a.md 'See [b](b.md).\n'
caught check-links 'a link that leads nowhere'
plant docs/a.md '# One heading\n\nSee [it](#one-heading) and [b](a.md#two-headings).\n'
tools/check-links "$tree" 2>&1 | grep -q '^docs/a.md:3: there is no heading two-headings in docs/a.md$'
report $? 'a link to a heading that is not there is caught'
# shellcheck disable=SC2016 # backticks are Markdown's
plant docs/architecture.md 'Data sets are in `src/data/a.c`, `b.c`.\n'
touch "$tree/src/data/a.c"
tools/check-links "$tree" 2>&1 | grep -q '^docs/architecture.md:1: there is no source file b.c$'
report $? 'a source file that is not there is caught'
# shellcheck disable=SC2016 # backticks are Markdown's
plant docs/a.md 'One class\nper line, as in:\n\n    one class a line\n\n`rows anew`\n'
tools/check-words "$tree"
report $? 'plain words pass'
plant docs/a.md 'The file has a class\na line.\n'
caught check-words 'a phrase that is not used here, over two lines,'
plant CHANGELOG.md 'Rows are read anew.\n'
caught check-words 'a word that is not used here'
plant src/data/a.c 'int beside(void); /* Rows are\n * read anew. */\n'
tools/check-words "$tree" 2>&1 | grep -q '^src/data/a.c:2: .*anew'
report $? 'such a word in a comment is caught'
plant src/data/a.c 'const char *say(int anew) { return anew ? "a class a line" : "verdict"; }\n'
[ "$(tools/check-words "$tree" 2>&1 | wc -l)" -eq 2 ]
report $? 'such words in messages are caught'
if aspell --lang=en_GB list </dev/null 2>/dev/null; then
    # shellcheck disable=SC2016 # backticks are Markdown's
    plant docs/a.md 'The separator of a perceptron, `seperator`.\n'
    tools/check-spelling "$tree"
    report $? 'right spelling passes'
    plant docs/a.md 'The separator of a\npreceptron.\n'
    tools/check-spelling "$tree" 2>&1 | grep -q '^docs/a.md:2: .*preceptron'
    report $? 'wrong spelling is caught'
else
    echo 'skipped spelling: aspell is not installed'
fi

# symbol_caught CODE WORDS NAME: a library of this one function must be refused in these words.
symbol_caught()
{
    plant a.c "$1"
    # shellcheck disable=SC2086 # the words of CC are words
    ${CC:-cc} -w -fPIC -c "$tree/a.c" -o "$tree/a.o" && ar rcs "$tree/libhalfspace.a" "$tree/a.o" &&
        ${CC:-cc} -shared "$tree/a.o" -o "$tree/libhalfspace.so" &&
        tools/check-symbols "$tree" 2>&1 | grep -q "$2"
    report $? "$3 is caught"
}

symbol_caught 'int helper(void) { return 1; }' 'shows helper' 'a name without prefix'
symbol_caught 'int hsp__f(void) { return 1; }' 'shows hsp__f' 'an inner name that shows'
symbol_caught '#include <stdio.h>\nvoid hsp_f(int x) { printf("%%d", x); }' 'calls printf' 'printing'
symbol_caught '#include <stdlib.h>\nvoid hsp_f(void) { exit(1); }' 'calls exit' 'exiting'
symbol_caught 'static int calls;\nint hsp_f(void) { return ++calls; }' 'global state' 'global state'
symbol_caught 'int hsp_f(void) { return 1; }' 'lacks hsp_version' 'a function that is missing'

# ---- What was built is hardened, as far as the compiler has it ----

# hardened FLAGS NAME COMMAND...: if the compiler takes the flags, the command must succeed for each
# program and library.
build=${1:-build}
hardened()
{
    flags=$1 name=$2
    shift 2
    # shellcheck disable=SC2086 # flags are words
    echo 'int main(void) { return 0; }' | ${CC:-cc} -O2 -Werror $flags -x c - -o "$tree/tried" 2>/dev/null || {
        echo "skipped $name: the compiler lacks it"
        return
    }
    bad=0
    for file in "$build/halfspace" "$build/libhalfspace.so" "$build/halfspace-verify"; do
        [ ! -f "$file" ] || "$@" "$file" || bad=1
    done
    report $bad "$name"
}
# shellcheck disable=SC2317 # called through `hardened`
bind_now() { readelf -d "$1" | grep -q 'NOW'; }
# shellcheck disable=SC2317
relro() { readelf -lW "$1" | grep -q GNU_RELRO; }
# shellcheck disable=SC2317
imports() { nm -D "$2" | grep -q "$1"; }
if command -v readelf >/dev/null; then
    hardened -Wl,-z,relro,-z,now 'read-only relocations' relro
    hardened -Wl,-z,relro,-z,now 'symbols bound at start' bind_now
    hardened -fstack-protector-strong 'the stack protector' imports __stack_chk_fail
    hardened '-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2' 'checked calls of libc' imports '__.*_chk@'
else
    echo 'skipped hardening: readelf is not installed'
fi

# ---- tools/setup, on machines that are not there ----

# machine COMMAND...: a path with these commands, an apt-get that notes what it was asked, and what
# any system has.
machine()
{
    plant bin/none ''
    for tool in sh cat sed head tail id env rm mktemp grep ln "$@"; do
        ln -s "$(command -v "$tool")" "$tree/bin/$tool"
    done
}
apt_get()
{
    printf '#!/bin/sh\necho "$@" >>"%s/asked"\n%s\n' "$tree" "$1" >"$tree/bin/apt-get"
    chmod +x "$tree/bin/apt-get"
    # shellcheck disable=SC2016 # the script expands them
    printf '#!/bin/sh\nwhile [ "$1" = -n ]; do shift; done\nexec "$@"\n' >"$tree/bin/sudo"
    chmod +x "$tree/bin/sudo"
}
setup_there() { env -u CC -u PKG_CONFIG PATH="$tree/bin" tools/setup "$@" </dev/null >"$tree/said" 2>&1; }

if pkg-config --exists libarchive 2>/dev/null && command -v cc >/dev/null && command -v g++ >/dev/null; then
    machine cc as pkg-config g++ python3
    apt_get 'exit 1'
    setup_there test && [ ! -e "$tree/asked" ] && [ ! -s "$tree/said" ]
    report $? 'setup is silent and stays off the network where all is there'
    machine
    apt_get "[ \$2 = update ] || ln -sf $(command -v cc) $(command -v as) $(command -v pkg-config) $tree/bin/"
    setup_there && grep -q 'install gcc libc6-dev pkg-config libarchive-dev' "$tree/asked"
    report $? 'setup installs all on a bare machine'
    machine cc as
    apt_get 'exit 100'
    setup_there && grep -q 'going on without: pkg-config libarchive-dev' "$tree/said"
    report $? 'setup goes on with a compiler alone'
    machine cc as
    setup_there && grep -q 'dnf install' "$tree/said"
    report $? 'setup says what to install where there is no apt-get'
    machine
    ! setup_there && grep -q 'cannot go on without: gcc' "$tree/said"
    report $? 'setup refuses to go on without a compiler'
else
    echo 'skipped setup: pkg-config, libarchive or cc is not installed'
fi
exit $failed
