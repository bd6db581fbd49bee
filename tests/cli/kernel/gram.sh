# The Gram matrix in LIBSVM's layout, and taken back.
printf '+1 1:1\n-1 2:2\n+1 1:0.5\n' >three.svm
halfspace kernel gram -q linear three.svm -o -
halfspace kernel gram linear three.svm -o k.csv
cat k.csv
printf '+1 1:3 2:1\n' >one.svm
halfspace kernel gram -q 'linear + 1' one.svm --against three.svm -o -
halfspace kernel gram -q 'rbf(0.5)' three.svm -o k.svm
for file in three.svm k.svm; do
    expression='rbf(0.5)'
    [ $file = k.svm ] && expression=precomputed
    halfspace kernel check -q --precision double "$expression" $file | grep -E '^  (rank|largest)'
done
# What is no Gram matrix.
halfspace kernel check -q precomputed three.svm
echo "exit $?"
printf '1 0:1 1:1 2:0.5\n2 0:2 1:0.25 2:1\n' >crooked.svm
halfspace kernel check -q precomputed crooked.svm
echo "exit $?"
halfspace kernel gram linear three.svm
echo "exit $?"
halfspace kernel gram -q --json linear three.svm -o -
echo "exit $?"
printf 'x,y,class\n1,2,a b\n3,4,c\n' >words.csv
halfspace kernel gram -q linear words.csv -o k.svm
echo "exit $?"
# Threads and instructions change nothing.
halfspace make moons -q --rows 500 -o m.svm
for t in 1 2 7; do
    halfspace kernel gram -q --threads $t 'rbf(2)*linear' m.svm -o - | cksum
    HSP_SIMD=scalar halfspace kernel gram -q --threads $t 'rbf(2)*linear' m.svm -o - | cksum
    halfspace kernel check -q --threads $t 'laplace(2)' m.svm --features - | cksum >>features
done | uniq | wc -l
uniq features | wc -l
ls
