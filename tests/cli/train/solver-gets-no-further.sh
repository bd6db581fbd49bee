# A solver that gets no further on huge values does not blame --max-passes, nor ask for more passes.
printf 'x,y,class\n1e300,1,a\n-1e300,1,b\n5e299,2,a\n-5e299,3,b\n1e-300,4,a\n-1e-300,5,b\n' >huge.csv
for learner in svm logistic; do
    halfspace train $learner -q huge.csv 2>&1 | grep -E 'CONVERGE|converged|objective ' | sed 's/ in [0-9]* passes//'
    halfspace train $learner -q huge.csv --json 2>/dev/null | grep '"stop"'
    halfspace train $learner -q --max-passes 1 "$EXAMPLES/iris.csv" --json 2>/dev/null | grep '"stop"'
done
