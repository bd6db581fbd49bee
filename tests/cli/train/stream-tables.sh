# Tables with gaps and columns of all sizes are streamed: means so far, running standardisation.
printf 'x,y,class\n1,2,a\n,4,b\n3,,a\n,,b\n' >gaps.csv
printf 'x,y,class\n1,2,a\n1,4,b\n3,3,a\n2,3,b\n' >filled.csv
question 'a missing number is the mean of those before it; the model fills with the mean of all'
halfspace train perceptron -q --stream --missing mean gaps.csv -o gaps.hsp | tail -n 2
halfspace train perceptron -q --stream filled.csv -o filled.hsp >out.txt
halfspace model show gaps.hsp --json | grep -A3 '"weights"' >gaps.txt
halfspace model show filled.hsp --json | grep -A3 '"weights"' | cmp - gaps.txt && echo same
printf 'x,y\n,\n' | halfspace predict -q --scores gaps.hsp -
printf 'x,y\n2,3\n' | halfspace predict -q --scores filled.hsp -
question 'a row is scaled by the rows so far and itself: by hand, (0, 0), (1, 1), (-1.069, -1.069)'
printf 'x,y,class\n1,10,a\n3,30,b\n0,0,a\n' >sizes.csv
halfspace train perceptron -q --stream --scale standard --offset none sizes.csv -o m.hsp >out.txt
halfspace predict -q --scores m.hsp sizes.csv
question 'sparse rows are divided by the standard deviation and not centred'
printf '1 1:2 9000:1\n-1 2:4\n1 1:2\n-1 2:1 9000:1\n' >sparse.svm
halfspace train perceptron -q --stream --scale standard sparse.svm -o s.hsp >out.txt
halfspace predict -q --scores s.hsp sparse.svm
question 'what a stream cannot do'
halfspace train perceptron -q --stream gaps.csv 2>&1
halfspace train perceptron -q --stream --missing indicator gaps.csv 2>&1
halfspace train perceptron -q --stream --scale min-max sizes.csv 2>&1
