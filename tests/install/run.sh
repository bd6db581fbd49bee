#!/bin/sh
# Install into a folder of its own, build a small program against it by pkg-config, shared and static,
# run it, and uninstall without a trace:  tests/install/run.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
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

# A job server of the caller's is not ours to use.
unset MAKEFLAGS MAKELEVEL
install_here() { make --no-print-directory -s "$1" BUILD="$build" DESTDIR="$2" PREFIX="$3"; }

install_here install '' "$root/usr" >&2
report $? install
"$root/usr/bin/halfspace" --version >&2
report $? 'the installed command runs'
for program in halfspace-verify halfspace-verify-core; do # a build without GMP has neither
    [ ! -x "$build/$program" ] || [ -x "$root/usr/bin/$program" ]
    report $? "$program is installed if it was built"
done
for page in "$root"/usr/share/man/man1/halfspace*.1; do
    [ -s "$page" ] || break
done
[ -s "$page" ]
report $? 'manual pages'

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$root/usr/lib/pkgconfig"
    cc=${CC:-cc}
    source=tests/install/program.c
    # shellcheck disable=SC2046,SC2086 # options
    $cc $(pkg-config --cflags halfspace) $source $(pkg-config --libs halfspace) -o "$root/shared" &&
        LD_LIBRARY_PATH=$root/usr/lib "$root/shared" >&2
    report $? 'a program with the shared library'
    # shellcheck disable=SC2046,SC2086
    $cc $(pkg-config --cflags halfspace) $source -Wl,-Bstatic $(pkg-config --libs halfspace) \
        -Wl,-Bdynamic $(pkg-config --static --libs halfspace) -o "$root/static" && "$root/static" >&2
    report $? 'a program with the static library'
    ! ldd "$root/static" | grep -q libhalfspace
    report $? 'the static one needs no shared library of ours'
    LD_LIBRARY_PATH=$root/usr/lib ldd "$root/shared" | grep -q "$root/usr/lib/libhalfspace.so.0"
    report $? 'the shared one is found by its soname'
else
    echo 'skipped a program by pkg-config: pkg-config is not installed'
fi

install_here uninstall '' "$root/usr" >&2
[ -z "$(find "$root/usr" -type f -o -type l)" ]
report $? 'uninstall leaves nothing'
install_here install "$root/stage" /opt/half >&2 && [ -x "$root/stage/opt/half/bin/halfspace" ] &&
    grep -q '^prefix=/opt/half$' "$root/stage/opt/half/lib/pkgconfig/halfspace.pc"
report $? 'install under DESTDIR'
exit $failed
