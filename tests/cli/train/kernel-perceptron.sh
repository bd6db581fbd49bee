# No line tells xor apart; a conic does.
cat >xor.svm <<'END'
-1 1:1 2:1
+1 1:1 2:-1
+1 1:-1 2:1
-1 1:-1 2:-1
END
halfspace train perceptron -q --passes until-converged --max-passes 50 xor.svm -o line.hsp 2>/dev/null | grep converged
halfspace train perceptron -q --kernel 'poly(2,1)' --passes until-converged xor.svm -o conic.hsp
halfspace model show conic.hsp | sed -n 2,5p
halfspace predict -q conic.hsp xor.svm
question 'The kernel linear makes the same mistakes, and becomes weights'
cp "$EXAMPLES/iris.csv" .
for kernel in '' '--kernel linear' '--kernel 2*linear+1'; do
    # shellcheck disable=SC2086 # none, or an option and its value
    halfspace train perceptron -q --classes versicolor,virginica --order worst --passes 3 $kernel iris.csv -o two.hsp 2>/dev/null |
        grep updates
    halfspace model show two.hsp | grep hypothesis
done
question 'Three classes, apart, by all separators'
halfspace train perceptron -q --kernel 'rbf(median)' --multiclass ovr --average vote --passes 5 iris.csv -o three.hsp 2>/dev/null |
    grep -E 'updates|error'
halfspace model show three.hsp | grep -E '^  (hypothesis|kernel) '
halfspace eval -q three.hsp iris.csv | grep mistakes
question 'Pairs of classes: those of the linear one, or a kernel of all rows'
for kernel in '' '--kernel linear' '--kernel rbf(median)'; do
    # shellcheck disable=SC2086 # none, or an option and its value
    halfspace train perceptron -q --multiclass ovo --scale standard --passes 20 $kernel iris.csv -o pairs.hsp 2>/dev/null |
        grep -E 'updates|error'
    halfspace model show pairs.hsp | grep -E '^  (kernel|decided by) '
done
question 'Within a budget'
halfspace train perceptron -q --kernel 'rbf(1)' --positive virginica --budget 10 iris.csv -o few.hsp 2>/dev/null | grep updates
halfspace model show few.hsp | grep -E '^  support'
halfspace audit -q few.hsp iris.csv --reference few.hsp
echo "exit $?"
question 'Against its bounds'
halfspace train perceptron -q --kernel 'rbf(0.5)' --positive virginica --passes until-converged iris.csv -o k.hsp | grep converged
halfspace audit -q k.hsp iris.csv --reference k.hsp | grep -E ' held$|^All'
question 'What cannot be'
for wrong in '--kernel poly(2,' '--kernel sigmoid(1,0)' '--kernel rbf(1) --trace t.csv' '--budget 3' \
    '--kernel linear --multiclass ovo --average vote'; do
    # shellcheck disable=SC2086 # options and their values
    halfspace train perceptron -q $wrong iris.csv -o no.hsp
    echo "exit $?"
done
