# Linear programming finds a separator, or proves that there is none.
cp "$EXAMPLES"/iris.csv .
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
question 'A separator'
halfspace train lp --positive setosa iris.csv -o setosa.hsp | sed 's/, .* step.*//'
halfspace eval setosa.hsp iris.csv | grep -c 'error *0%'
question 'No separator: status 1, and no model'
halfspace train lp --positive versicolor iris.csv -o no.hsp >out 2>err
echo "status $?"
grep -c 'not separable' out
cat err
ls -- *.hsp
