# Learners that take the Gram matrix do what they do with the rows; so does cross-validation.
halfspace make moons -q --rows 200 --seed 3 -o all.svm
halfspace split -q all.svm train.svm test.svm
for ending in svm csv hsp; do
    halfspace kernel gram -q 'rbf(2)' train.svm -o train-k.$ending
    halfspace kernel gram -q 'rbf(2)' test.svm --against train.svm -o test-k.$ending
done
figures() { grep -E '"(updates|support_vectors|mistakes_last_pass)"' | grep -v "$skip"; }
skip='"updates"' # of the svm: steps that depend on the last bits
for learner in svm 'perceptron --passes 2' 'perceptron --passes 3 --average average --offset none'; do
    # shellcheck disable=SC2086 # words of a command
    {
        halfspace train $learner -q --json --kernel 'rbf(2)' train.svm -o rows.hsp | figures >rows
        halfspace predict -q rows.hsp test.svm >rows.txt
        for ending in svm csv hsp; do
            halfspace train $learner -q --json --precision double --kernel precomputed train-k.$ending -o gram.hsp |
                figures | cmp - rows
            halfspace predict -q gram.hsp test-k.$ending | cmp - rows.txt && echo "$learner, $ending: same"
        done
        skip=nothing
        halfspace cv $learner -q --kernel 'rbf(2)' train.svm | tail -n +2 >rows
        halfspace cv $learner -q --precision double --kernel precomputed train-k.svm | tail -n +2 | cmp - rows && echo same
    }
done 2>&1 | grep -v CONVERGE
# The features of a kernel: the plain perceptron makes the kernel perceptron's mistakes.
for k in 'poly(2,1)' 'rbf(2)' 'laplace(1) + linear'; do
    halfspace kernel check -q "$k" train.svm --features b.hsp >/dev/null
    halfspace train perceptron -q --json --passes 3 --offset none --kernel "$k" train.svm -o m.hsp 2>/dev/null | figures >rows
    halfspace train perceptron -q --json --passes 3 --offset none b.hsp -o m.hsp 2>/dev/null | figures | cmp - rows && echo same
done
# A part of a matrix without numbers says nothing about whose columns are there.
tail -n +2 train-k.csv | cut -d , -f 2- >plain.csv
halfspace train svm -q --kernel precomputed --header no plain.csv -o m.hsp | grep -c converged
halfspace cv svm -q --kernel precomputed --header no plain.csv
echo "exit $?"
# A run on explicit features cannot be audited: its updates were of these.
halfspace train perceptron -q --kernel 'rbf(2)' --approx nystrom:30 train.svm -o m.hsp >/dev/null
halfspace audit -q m.hsp train.svm --reference m.hsp
echo "exit $?"
