# More than two classes: the class that has no separator is named, and its evidence is the one that is confirmed.
cp "$EXAMPLES"/iris.csv .
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
question 'One-vs-rest'
halfspace train lp -q iris.csv >all 2>&1
echo "status $?"
sed -n 2p all
halfspace train lp -q --json iris.csv | grep -E '"(answer|class|against)"'
question 'One-vs-one'
halfspace train lp --multiclass ovo iris.csv 2>&1 | head -3 | sed 's/^  .*//'
