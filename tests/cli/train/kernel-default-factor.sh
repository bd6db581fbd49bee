# rbf alone has the factor 1/(d var), the report and the model its number; --gamma replaces it, or says where it would go.
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --kernel rbf iris.csv -o scale.hsp | grep '^  kernel'
halfspace model show -q scale.hsp | grep '^  kernel'
halfspace train svm -q --kernel rbf --gamma 0.5 iris.csv | grep '^  kernel'
halfspace train logistic -q --kernel rbf --approx nystrom:20 iris.csv | grep '^  kernel'
halfspace train perceptron -q --kernel 'rbf + laplace(gamma)' --gamma 2 iris.csv 2>/dev/null | grep '^  kernel'
halfspace train svm -q --kernel 'poly(3,1)' --gamma 2 iris.csv 2>&1
halfspace train svm -q --gamma 2 iris.csv 2>&1
halfspace train logistic -q --gamma 2 iris.csv 2>&1
halfspace train perceptron -q --gamma 2 iris.csv 2>&1
halfspace train svm -q --kernel 'rbf(gamma)' iris.csv 2>&1
true
