# With --soft, linear programming finds the least slack where there is no separator.
cp "$EXAMPLES"/iris.csv .
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
halfspace train lp --soft --json --positive versicolor iris.csv >soft.json
echo "status $?"
grep -o '"converged": [a-z]*' soft.json
question 'A class weight of 0 is refused'
halfspace train lp --soft --weight setosa=0 iris.csv 2>&1
question 'The linear programs of the pairs of one-vs-one are counted together'
halfspace train lp -q --soft --multiclass ovo --json iris.csv | grep '"passes"'
