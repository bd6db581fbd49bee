#!/bin/sh
# Every exact statement of the command against brute force in fractions, on random tables:
# tests/exact/run.sh BUILD [TABLES [SEED]]
set -u
cd "$(dirname "$0")/../.." || exit 1
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import fractions' 2>/dev/null; then
        exec "$python" tests/exact/check.py "$1/halfspace" "${2:-250}" "${3:-1}"
    fi
done
echo 'skipped random_tables: no Python here'
