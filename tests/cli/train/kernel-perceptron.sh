# The perceptron with a kernel.
question 'No line separates xor; a conic section does'
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
question 'The linear kernel makes the same mistakes, and its model is one of weights'
cp "$EXAMPLES/iris.csv" .
for kernel in '' '--kernel linear' '--kernel 2*linear+1'; do
    # shellcheck disable=SC2086 # none, or an option and its value
    halfspace train perceptron -q --classes versicolor,virginica --order worst --passes 3 $kernel iris.csv -o two.hsp 2>/dev/null |
        grep updates
    halfspace model show two.hsp | grep hypothesis
done
question 'The mistakes are within the bounds'
halfspace train perceptron -q --kernel 'rbf(0.5)' --positive virginica --passes until-converged iris.csv -o k.hsp | grep converged
halfspace audit -q k.hsp iris.csv --reference k.hsp | grep -E ' held$|^All'
