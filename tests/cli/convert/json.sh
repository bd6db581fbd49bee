# The report of convert as JSON.
halfspace convert --json --threads 2 "$EXAMPLES/iris.csv" iris.hsp 2>/dev/null |
    sed -E -e 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/' -e 's|"file": ".*/|"file": "|'
