# Claims about hyperplanes through the origin say so: the same rows may be separable by another hyperplane.
halfspace certify --help >/dev/null || exit 1
printf -- '-1 1:1\n1 1:2\n' >line.svm
halfspace certify -q --offset none line.svm >origin 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
question 'Rows that need an offset'
grep claim origin
halfspace certify -q line.svm | grep 'claim 1: separable'
question 'A claim that does not hold: why, and about which hyperplanes'
halfspace certify -q --offset none --claim separable line.svm
halfspace certify -q --claim 'not separable' line.svm
question 'One class alone can be the obstruction: 0 is between two positive rows'
printf '1 1:1\n1 1:-1\n-1 2:1\n' >weak.svm
halfspace certify -q --offset none weak.svm | grep claim
question 'train --certify through the origin'
halfspace train perceptron -q --offset none --certify line.svm 2>/dev/null | grep 'claim 1'
