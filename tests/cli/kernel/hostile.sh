# Rows and matrices that a kernel cannot, or only just, be computed of.
try()
{
    echo "$*"
    halfspace "$@" 2>&1 | grep -E '^halfspace|training error|mistakes ' | grep -v CONVERGE
}
question 'Squares of these are beyond what floats hold; what is made of distances and angles is not'
printf -- '-1 1:-1e-30\n+1 1:1e-30\n' >tiny.svm
printf -- '-1 1:-1e30\n+1 1:1e30\n' >huge.svm
for file in tiny.svm huge.svm; do
    for kernel in 'rbf(median)' 'normalize(linear)' linear; do
        try train svm -q --kernel "$kernel" $file -o m.hsp
        try train perceptron -q --kernel "$kernel" $file -o m.hsp
    done
done
question 'A matrix must be symmetric, and numbers be those of its rows'
halfspace make moons -q --rows 40 -o all.svm
halfspace split -q all.svm train.svm test.svm
halfspace kernel gram -q 'poly(2,1)' train.svm -o k.svm
sed 's/ 0:5 / 0:6 /' k.svm >twice.svm
awk 'NR == 3 { $4 = "2:7" } 1' k.svm >askew.svm
for file in twice.svm askew.svm; do
    try train svm -q --kernel precomputed $file -o m.hsp
    try train perceptron -q --kernel precomputed $file -o m.hsp
done
question 'What it predicts must have a value with every row learned from'
halfspace train svm -q --kernel precomputed k.svm -o m.hsp >/dev/null
try eval -q m.hsp test.svm
halfspace kernel gram -q 'poly(2,1)' test.svm --against train.svm -o test-k.svm
try eval -q m.hsp test-k.svm
question 'k(x, x) of a row to be predicted is in no column'
try train svm -q --kernel 'precomputed*normalize(2*precomputed)' k.svm -o m.hsp
try train perceptron -q --kernel 'normalize(precomputed)' k.svm -o m.hsp
halfspace kernel check -q 'normalize(precomputed)' k.svm | grep -c semidefinite
question 'Columns beyond the data; no widest margin without a feature space'
try kernel check -q 'cols(3; rbf(1))' train.svm
try kernel check -q 'rescale(1 + x4, linear)' train.svm
try train svm -q --kernel 'linear + cols(7-9; linear)' train.svm
try train svm -q --hard --allow-indefinite --kernel 'rbf(1) - rbf(0.5)' train.svm
