# k nearest neighbours: trained, measured, tuned, listed; ties and edges have answers.
cp "$EXAMPLES/iris.csv" .
halfspace train knn -q --k auto --max-k 12 --scale standard iris.csv -o near.hsp
halfspace eval -q near.hsp iris.csv | sed -n '2,5p'
halfspace model show -q near.hsp | sed -n '2,7p'
halfspace train knn -q --k 3 --json iris.csv | sed -n '/neighbors/,/}/p'
halfspace train knn -q --k auto --max-k 3 --json --metric 'kernel:rbf(0.5)' iris.csv | sed -n '/neighbors/,/}/p'

# of equal votes the nearer, then the first class: rows at 0 (b) and 4 (a)
printf 'b 1:0\na 1:4\n' >two.svm
printf '1:1\n1:3\n1:2\n' >asked.svm
for vote in majority distance; do
    halfspace train knn -q --k 2 --vote $vote two.svm -o two.hsp >/dev/null
    halfspace predict -q two.hsp asked.svm --scores
    halfspace neighbors -q two.hsp asked.svm
done

# the same neighbours whatever the index, the storage and the number of threads
halfspace make moons -q --rows 700 --features 6 -o moons.svm
for index in auto scan tree product; do
    halfspace train knn -q --index $index moons.svm -o m.hsp >/dev/null
    for threads in 1 3; do
        for storage in dense sparse; do
            halfspace neighbors -q --threads $threads --storage $storage m.hsp moons.svm | cksum
        done
    done
done | uniq -c
halfspace neighbors -q m.hsp - --k 2 --json <asked.svm

for bad in '--k 0' '--k two' '--k 3' '--k 1 --max-k 2' '--k 1 --metric far' '--k 1 --metric kernel:rbf(' \
    '--k 1 --metric kernel:precomputed' '--k 1 --metric kernel:sigmoid(1,0)' \
    '--k 1 --index tree --metric hamming' '--k 1 --stream'; do
    # shellcheck disable=SC2086 # options are words
    halfspace train knn -q $bad two.svm 2>&1
done
printf 'a 1:1\na 1:2\n' | halfspace train knn -q - 2>&1
halfspace neighbors -q two.hsp asked.svm --k 3 2>&1
halfspace train perceptron -q two.svm -o p.hsp >/dev/null
halfspace neighbors -q p.hsp asked.svm 2>&1
halfspace predict -q two.hsp asked.svm --probability --link logistic 2>&1
halfspace model form two.hsp --to unit -o u.hsp 2>&1
halfspace model export two.hsp --format libsvm -o u 2>&1
halfspace tune knn -q --tune index=scan,tree iris.csv 2>&1
