# Experts and their negations.
cp "$EXAMPLES/iris.csv" .
question 'Three classes'
halfspace train experts -q --scale standard --negated iris.csv -o iris.hsp
halfspace eval -q iris.hsp iris.csv | sed -n 2,4p
question 'A negation that is the best expert'
halfspace train experts -q --scale standard --negated --positive setosa iris.csv -o setosa.hsp | grep -E 'best|its|mistakes'
halfspace audit -q setosa.hsp iris.csv | tail -n 1
question 'Cross-validation'
halfspace cv experts -q --scale standard --negated --positive setosa iris.csv --folds 3 | sed -n 2,4p
