cd "$EXAMPLES" && halfspace inspect iris.csv
