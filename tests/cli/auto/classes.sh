# One class against the others, and some of the classes: both are part of the printed command.
cp "$EXAMPLES/iris.csv" .
halfspace auto -q iris.csv --positive virginica -o p.hsp | grep -c -e ' train [a-z]* --positive virginica .*iris.csv'
halfspace predict -q p.hsp iris.csv | sort -u
halfspace auto -q iris.csv --classes setosa,versicolor --json -o m.hsp |
    sed -n 's/--[Cgks].* iris/... iris/; /"command"/p; /"mistakes"/p; /"predicted"/p'
halfspace predict -q m.hsp iris.csv | sort | uniq -c
question 'Candidates are sorted, best first'
halfspace auto -q iris.csv --json | sed -n 's/^      "folds": //p' | uniq -c
