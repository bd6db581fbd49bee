# --trace writes one line per update.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp --trace plain.csv >/dev/null
cat plain.csv
question 'With a reference: both sides of each step of the proofs, and every step holds'
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv --trace t.csv --reference m.hsp >/dev/null
head -n 1 t.csv
awk -F, 'NR > 1 { held += $7 >= $8 && $9 <= $10 && ($12 == "" || $11 >= $12) } END { print held " of " NR - 1 " held" }' t.csv
question 'The trace on standard output: the report goes to standard error'
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv --trace - 2>err | cmp - plain.csv
head -n 1 err
