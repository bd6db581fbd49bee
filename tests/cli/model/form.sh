# The normal forms change no prediction.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
halfspace predict -q m.hsp iris.csv >one
for form in homogeneous unit threshold; do
    halfspace model form --to $form m.hsp -o $form.hsp 2>&1
    halfspace predict -q $form.hsp iris.csv | cmp - one && echo "same predictions"
    halfspace model show $form.hsp | sed -n '/^Score/,$p'
done
halfspace model form m.hsp -o x.hsp
echo "exit $?"
halfspace model form m.hsp --to unit
echo "exit $?"
halfspace model form m.hsp --to round -o x.hsp
echo "exit $?"
halfspace model form --json -q m.hsp --to unit -o u.hsp | sed -n '2,11p'
ls
