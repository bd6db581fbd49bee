# Logistic regression on three classes.
cp "$EXAMPLES/iris.csv" .
halfspace train logistic -q iris.csv | grep -Ev 'solver|KKT|gap|objective'
