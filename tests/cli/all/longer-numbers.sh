# Numbers with more digits than double precision holds: the reports are about the stored numbers, and say so.
printf 'x,c\n12345678901234567890,a\n12345678901234567892,b\n12345678901234567889,a\n12345678901234567893,b\n' >long.csv
printf 'x,c\n1,a\n2,a\n4,b\n5,b\n' >short.csv
question 'Training and kernel check, with long and with short numbers'
for file in long short; do
    halfspace train svm -q --C 100 $file.csv -o $file.hsp 2>/dev/null | grep -E 'converged|objective'
    halfspace train logistic -q $file.csv 2>/dev/null | grep -E 'objective '
    halfspace train lp --soft -q $file.csv 2>/dev/null | grep slack
    halfspace train svm -q --json $file.csv 2>/dev/null | grep '"numbers"'
    halfspace kernel check linear -q $file.csv 2>/dev/null | grep rows
done
question 'A bound: 12345678901234567891 is not among the training rows, but as a double it is'
printf 'x,c\n12345678901234567891,b\n' >test.csv
halfspace bound -q long.hsp --train long.csv --test test.csv 2>&1 | grep among
halfspace bound -q long.hsp --train long.csv --test test.csv --allow-overlap 2>/dev/null | sed -n 2,3p
halfspace bound -q long.hsp --train long.csv --test test.csv --allow-overlap --json 2>/dev/null | grep '"numbers"'
question 'An audit'
printf 'x,c\n-1.00000000000000000001,a\n1.00000000000000000001,b\n' >two.csv
halfspace train perceptron -q two.csv -o two.hsp >/dev/null 2>&1
halfspace audit -q two.hsp two.csv 2>/dev/null | sed -n 1p
halfspace audit -q two.hsp two.csv --json 2>/dev/null | grep '"numbers"'
