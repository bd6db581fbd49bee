# A kernel: its spectrum and its factor.
cp "$EXAMPLES/iris.csv" .
hide() { sed -E 's/(smallest eigenvalue|rounding|factor K = B B.) .*/\1 .../'; }
halfspace kernel check -q 'poly(2,1)' iris.csv | hide
echo "exit $?"
question 'The rank is that of the monomials of degree up to 2 in 4 columns'
halfspace kernel check -q 'poly(2,1)' iris.csv --rows 40 --seed 3 --json | grep -E '"(kernel|closed|rows|checked_rows|semidefinite|rank)"'
question 'No kernel: refused, or shown not to be one'
halfspace kernel check -q 'rbf(1) - rbf(0.5)' iris.csv
echo "exit $?"
halfspace kernel check -q 'rbf(1) - rbf(0.5)' iris.csv --allow-indefinite --features f.hsp | hide
halfspace kernel check -q 'rbf(1) - rbf(0.5)' iris.csv --allow-indefinite >/dev/null
echo "exit $?"
question 'Slips are said before the file is opened'
halfspace kernel check 'rbf(0.5' nowhere.csv
echo "exit $?"
halfspace kernel check 'cols(9; linear) + x' iris.csv
echo "exit $?"
question 'Features: the perceptron of one is that of the other'
printf '0 1:1 2:1\n1 1:1 2:-1\n1 1:-1 2:1\n0 1:-1 2:-1\n' >xor.svm
halfspace kernel check -q 'poly(2,0)' xor.svm --features b.hsp | tail -n 2 | hide
halfspace train perceptron -q --passes until-converged xor.svm -o m.hsp --max-passes 50 --json | grep '"converged"'
halfspace train perceptron -q --passes until-converged b.hsp -o m.hsp --max-passes 50 --json | grep '"converged"'
halfspace kernel
ls
question 'What many rows take is said before it is taken: here nothing is, for the values are not finite'
halfspace make moons -q --rows 2600 -o many.svm
halfspace kernel check --rows 0 '1e300*1e300' many.svm 2>&1
halfspace kernel check --rows 0 --features b.hsp '1e300*1e300' many.svm 2>&1
halfspace kernel check --rows 2500 '1e300*1e300' many.svm 2>&1
echo "exit $?"
