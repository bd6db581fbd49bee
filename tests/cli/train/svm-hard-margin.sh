# --hard: a separator with the widest margin, or the evidence that there is none.
question 'Two points: w = 1, b = 0, margin 1'
printf -- '-1 1:-1\n+1 1:1\n' >two.svm
halfspace train svm --hard two.svm | sed -E 's/(passes|updates)( +)[0-9]+/\1\2N/; s/(converged +yes).*/\1/; /KKT/d'
question 'No separator: the evidence, status 1, and no model'
printf '0 1:0 2:0\n0 1:1 2:1\n1 1:0 2:1\n1 1:1 2:0\n' >xor.svm
halfspace train svm --hard xor.svm -o none.hsp 2>&1 | sed -E 's/[0-9.]+e-[0-9]+/tiny/g'
halfspace train svm --hard -q xor.svm >/dev/null 2>&1
echo "exit $?"
ls none.hsp 2>/dev/null
halfspace train svm --hard -q --json xor.svm | sed -n '/evidence/,/]/p;/class_names/,/]/p' | tr -d ' \n'
echo
