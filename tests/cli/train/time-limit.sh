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
