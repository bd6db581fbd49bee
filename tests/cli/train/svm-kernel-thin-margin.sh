# With a kernel, a margin that is too small counts as none, and the message says so.
printf '0 1:1000 2:1\n0 1:-1000 2:1\n1 1:1000 2:1.0001\n1 1:-1000 2:1.0001\n' >thin.svm
halfspace train svm -q --hard --kernel linear thin.svm 2>&1 | tail -n 2
halfspace train svm -q --hard --kernel linear --scale standard thin.svm 2>&1 | grep 'training error'
