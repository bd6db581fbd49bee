# A separator, the evidence that there is none, the least slack.
cp "$EXAMPLES"/iris.csv .
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
halfspace train lp --positive setosa iris.csv -o setosa.hsp | sed 's/, .* step.*//'
halfspace eval setosa.hsp iris.csv | grep -c 'error *0%'
halfspace train lp --positive versicolor iris.csv -o no.hsp >out 2>err
echo "status $?"
grep -c 'not separable' out
cat err
ls no.hsp 2>/dev/null
halfspace train lp --soft --json --positive versicolor iris.csv >soft.json
echo "status $?"
grep -o '"converged": [a-z]*' soft.json
halfspace train lp --soft --weight setosa=0 iris.csv 2>&1
halfspace train lp --multiclass ovo iris.csv 2>&1 | head -3 | sed 's/^  .*//'
# More than two classes: the class that has no separator is named, and it is the one that is confirmed.
halfspace train lp -q iris.csv >all 2>&1
echo "status $?"
sed -n 2p all
halfspace train lp -q --json iris.csv | grep -E '"(answer|class|against)"'
# Linear programs of pairs add up.
halfspace train lp -q --soft --multiclass ovo --json iris.csv | grep '"passes"'
