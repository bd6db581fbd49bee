# A score of exactly 0: each --tie gives its class, and eval counts the ties.
printf -- '-1 1:1\n+1 1:3\n' >a.svm
printf -- '-1\n+1 1:0\n' >on.svm
for tie in neg pos zero; do
    halfspace train perceptron -q --tie $tie --offset none --max-updates 1 a.svm -o m.hsp 2>/dev/null | sed -n 4p
    halfspace predict -q m.hsp on.svm | tr '\n' ' '
    halfspace eval -q m.hsp on.svm --json | grep -E '"(mistakes|ties)"' | tr -d '\n'
    echo
done
question 'The report of eval where a tie is no class'
halfspace predict m.hsp on.svm >/dev/null
halfspace eval -q m.hsp on.svm
