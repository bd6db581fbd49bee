# A score of exactly 0, by each tradition: the zero separator, then a row on a learnt boundary.
printf -- '-1 1:1\n+1 1:3\n' >a.svm
printf -- '-1\n+1 1:0\n' >on.svm
for tie in neg pos zero; do
    halfspace train perceptron -q --tie $tie --offset none --max-updates 1 a.svm -o m.hsp 2>/dev/null | sed -n 4p
    halfspace predict -q m.hsp on.svm | tr '\n' ' '
    halfspace eval -q m.hsp on.svm --json | grep -E '"(mistakes|ties)"' | tr -d '\n'
    echo
done
halfspace predict m.hsp on.svm >/dev/null
halfspace eval -q m.hsp on.svm
# Labels 0 and 1: no row of the class 0 looks like one on the boundary.
sed 's/^-1/0/' a.svm >b.svm
halfspace train perceptron -q --tie zero --offset none --max-updates 1 b.svm -o m.hsp >/dev/null 2>&1
printf '0 1:1\n0\n0 1:-1\n' | halfspace predict -q m.hsp -
sed 's/^-1/0/; s/^+1/boundary/' a.svm >b.svm
halfspace train perceptron -q --tie zero --offset none --max-updates 1 b.svm -o m.hsp >/dev/null 2>&1
printf '0 1:1\n0\n0 1:-1\n' | halfspace predict -q m.hsp -
