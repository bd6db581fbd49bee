# Numbers that are too small for single precision: double precision is chosen, or a warning says that they became 0.
printf 'a 1:1\nb 1:2\n' >pos.svm
if halfspace train lp -q pos.svm 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
printf 'a 1:1e-150\nb 1:2e-150\na 1:0.5e-150\n' >tiny.svm
printf 'x,y\n1e-150,a\n2e-150,b\n0,a\n' >tiny.csv
question 'Without --precision'
halfspace train lp tiny.svm 2>&1
question 'With --precision single: a warning'
halfspace train lp --precision single tiny.csv 2>&1 >/dev/null | grep warning
halfspace train perceptron --stream --precision single tiny.svm 2>&1 >/dev/null | grep warning
question 'With --precision double: no warning'
halfspace train lp --precision double tiny.svm 2>&1 | grep -e warning -e 'training error'
