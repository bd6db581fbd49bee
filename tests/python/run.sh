#!/bin/sh
# The tests of the Python package: tests/python/run.sh BUILD PYTHON [pytest arguments]
#
# Prints one line per test, "ok NAME", "FAILED NAME" or "skipped NAME: why", and at the end "N passed, N failed, N skipped".
# The status is not 0 if a test failed or none ran. HALFSPACE_BIG=1 measures memory on arrays of a gigabyte,
# HALFSPACE_CALLS=1000000 looks for leaks in so many calls, and HALFSPACE_EXAMPLES=5000 tries so many random arrays per test.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:?which build?} python=${2:?which Python?}
shift 2
case $build in
/*) ;;
*) build=$PWD/$build ;;
esac
if ! "$python" -c 'import numpy, pytest' 2>/dev/null; then
    echo "skipped python: $python has no numpy or no pytest"
    echo '0 passed, 0 failed, 1 skipped'
    exit 1
fi
# Files or tests that are named are run instead of all.
case " $*" in
*" tests/python/"*) ;;
*) set -- tests/python "$@" ;;
esac
export PYTHONPATH="$build/python" HALFSPACE="$build/halfspace" PYTHONDONTWRITEBYTECODE=1 BUILD="$build"
exec "$python" -X dev -W error::ResourceWarning -m pytest -p no:cacheprovider -qq -rN --tb=short --no-header -o console_output_style=classic --lines "$@"
