# --memory: sizes and folders that will not do.
printf '0 1:1\n1 1:-1\n' >a.svm
for size in 0 12 31M 1X 64MM -5G '' 1e99; do
    halfspace inspect a.svm --memory "$size" 2>&1
    echo "exit $?"
done
TMPDIR=/nowhere halfspace inspect a.svm --memory 64M 2>&1
echo "exit $?"
halfspace train perceptron a.svm --memory 0.5g -q | head -1
