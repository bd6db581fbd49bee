# A tie that is no class has a name that is not the name of a class, whatever the labels are.
printf -- '-1 1:1\n+1 1:3\n' >a.svm
sed 's/^-1/0/' a.svm >b.svm
halfspace train perceptron -q --tie zero --offset none --max-updates 1 b.svm -o m.hsp >/dev/null 2>&1
printf '0 1:1\n0\n0 1:-1\n' | halfspace predict -q m.hsp -
sed 's/^-1/0/; s/^+1/boundary/' a.svm >b.svm
halfspace train perceptron -q --tie zero --offset none --max-updates 1 b.svm -o m.hsp >/dev/null 2>&1
printf '0 1:1\n0\n0 1:-1\n' | halfspace predict -q m.hsp -
