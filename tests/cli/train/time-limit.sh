# --max-seconds ends the training.
question 'Before there is a model: a message, and status 4, which is not the status of a signal'
halfspace make halfspace --rows 2000 --features 20 --noise 0.1 -q -o a.svm
sed 's/^[^ ]*/1/; 3~3s/^1/2/; 2~3s/^1/3/' a.svm >three.svm
halfspace train svm --kernel 'rbf(0.02)' --max-seconds 1e-9 three.svm -o m.hsp 2>&1
echo "exit $?"
question 'In the first pass: not converged'
halfspace make halfspace --rows 2e4 --features 20 --noise 0.1 -q -o a.svm
halfspace train perceptron --kernel 'rbf(0.02)' --max-seconds 1e-9 a.svm 2>/dev/null | grep converged | tr -s ' '
question 'No model is written'
ls
question 'The time is the reason, and not rounding, however small the gap is to be'
for seconds in 0.001 0.003 0.01 0.03 0.1; do
    halfspace train svm --solver newton --gap 1e-12 --max-seconds $seconds a.svm >report 2>&1
    grep -q 'ended: seconds' report && echo 'ended by the limit'
    grep -q 'ended: seconds' report && grep 'warning.*rounding errors' report
done | sort | uniq | cut -c 1-80
