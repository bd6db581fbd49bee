# A kernel that may be indefinite has no duality gap to reach: one warning says so, and there is no advice.
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --allow-indefinite --kernel 'sigmoid(0.01,-1)' --positive setosa iris.csv 2>&1 | grep -E 'halfspace|converged'
