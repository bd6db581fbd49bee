# Cross-validation refuses options that make sense for one run only.
printf 'a 1:1\na 1:2\nb 1:3\nb 1:4\na 1:1.5\na 1:0\n' >few.svm
halfspace cv perceptron -q --trace t.csv few.svm 2>&1; echo "exit $?"
halfspace cv svm -q --warm-start few.svm few.svm 2>&1; echo "exit $?"
