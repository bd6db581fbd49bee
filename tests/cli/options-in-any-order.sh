# --name value, --name=value, flags and their opposites, and -- before a name that begins with -.
cp "$EXAMPLES/iris.csv" ./-iris.csv
halfspace inspect -q --columns=0 --no-verify -- -iris.csv | head -n 3
halfspace inspect --columns 0 ./-iris.csv -q | head -n 3
halfspace inspect --json --no-json -q ./-iris.csv --columns 5 --columns 0 | head -n 1
