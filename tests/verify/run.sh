#!/bin/sh
# The two checkers on the same certificates: tests/verify/run.sh BUILD [CERTIFICATES [TAMPERINGS_EACH [SEED]]]
set -u
cd "$(dirname "$0")/../.." || exit 1
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import fractions' 2>/dev/null; then
        PYTHONDONTWRITEBYTECODE=1 exec "$python" tests/verify/agree.py "$@"
    fi
done
echo 'skipped agree: no Python here'
