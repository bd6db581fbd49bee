# What other commands do with a model of k nearest neighbours.
printf 'b 1:0\na 1:4\n' >two.svm
printf '1:1\n1:3\n1:2\n' >asked.svm
halfspace train knn -q --k 2 --vote distance two.svm -o two.hsp >/dev/null
question 'neighbors lists the k nearest rows as JSON'
halfspace make moons -q --rows 700 --features 6 -o moons.svm
halfspace train knn -q --index product moons.svm -o m.hsp >/dev/null
halfspace neighbors -q m.hsp - --k 2 --json <asked.svm
question 'neighbors refuses more neighbours than rows, and models that have none'
halfspace neighbors -q two.hsp asked.svm --k 3 2>&1
halfspace train perceptron -q two.svm -o p.hsp >/dev/null
halfspace neighbors -q p.hsp asked.svm 2>&1
question 'Links, normal forms and formats that such a model does not have are refused'
halfspace predict -q two.hsp asked.svm --probability --link logistic 2>&1
halfspace model form two.hsp --to unit -o u.hsp 2>&1
halfspace model export two.hsp --format libsvm -o u 2>&1
question 'The index is not tuned'
cp "$EXAMPLES/iris.csv" .
halfspace tune knn -q --tune index=scan,tree iris.csv 2>&1
