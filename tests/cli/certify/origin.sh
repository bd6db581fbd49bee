# "Not separable" through the origin is said so: the same rows are separable by another line.
halfspace certify --help >/dev/null || exit 1
printf -- '-1 1:1\n1 1:2\n' >line.svm
halfspace certify -q --offset none line.svm >origin 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
grep claim origin
halfspace certify -q line.svm | grep 'claim 1: separable'
# Both in the notes: what cannot be claimed, and of which hyperplanes.
halfspace certify -q --offset none --claim separable line.svm
halfspace certify -q --claim 'not separable' line.svm
# One class alone can be the obstruction: 0 is between two positive rows.
printf '1 1:1\n1 1:-1\n-1 2:1\n' >weak.svm
halfspace certify -q --offset none weak.svm | grep claim
# A machine through the origin: train --certify asks for the same.
halfspace train perceptron -q --offset none --certify line.svm 2>/dev/null | grep 'claim 1'
