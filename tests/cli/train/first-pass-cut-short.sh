# The online error of a first pass that was cut short counts the rows up to there only.
printf '1 1:1\n0 2:1\n1 1:2\n0 2:2\n' >four.svm
halfspace train perceptron -q --max-updates 1 four.svm 2>/dev/null | grep error
