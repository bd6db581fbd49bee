#!/bin/sh
# Run one comparison with another program's answer: tests/oracles/run.sh SCRIPT
# A script names the Python modules it needs in a line "# needs: ..."; a Python that has them runs it.
set -u
needs=$(sed -n 's/^# needs: //p' "$1")
for python in /usr/bin/python3 python3; do
    if "$python" -c "import $(echo "$needs" | sed 's/ /, /g')" 2>/dev/null; then
        PYTHONDONTWRITEBYTECODE=1 exec "$python" "$1"
    fi
done
echo "skipped $(basename "$1" .py): no Python here has $needs"
