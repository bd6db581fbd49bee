# Rows with weights.
printf 'x,class,n,z\n1,a,2,0\n-1,b,1,1\n0.5,b,3,2\n2,a,0,1\n-2,b,1,-1\n1.5,a,1,2\n' >w.csv
printf 'x,class,n,z\n1,a,0,0\n1,a,0,0\n-1,b,0,1\n0.5,b,0,2\n0.5,b,0,2\n0.5,b,0,2\n-2,b,0,-1\n1.5,a,0,2\n' >copies.csv
figures()
{
    halfspace train svm -q --label class --gap 1e-9 "$@" --json -o m.hsp |
        grep -E '"(C|lambda|objective|training_error)"' | sed -E 's/(0\.[0-9]{6})[0-9]*/\1/'
    halfspace model show --json m.hsp | sed -n '/"weights"/,/\]/p' | tr -d ' \n' | sed -E 's/([0-9]\.[0-9]{4})[0-9]*/\1/g'
    echo
}
question 'A row of weight k is k copies of it; the column of weights is found by name or number, and is no feature'
figures copies.csv --lambda 0.1
figures w.csv --lambda 0.1 --row-weight n
figures w.csv --lambda 0.1 --row-weight 3
question 'libsvm text: columns have the numbers of the file, and messages name rows by number'
printf '1 0:1 1:2\n0 0:-1 1:1\n0 0:1.5 1:-1\n' >zero.svm
halfspace train svm -q --row-weight 1 zero.svm 2>&1
printf '1 1:1 2:2\n0 1:-1 2:1\n2 1:3\n0 1:1.5\n' >one.svm
halfspace train svm -q --row-weight 2 --classes 0,1 --json one.svm | grep -E '"(rows|lambda)"'
halfspace train svm -q --row-weight 2 --classes 0,2 one.svm 2>&1
question 'A kernel does not see the column of weights either, in training or in prediction'
awk 'BEGIN {
    print "a,b,w,y"
    for (i = 0; i < 200; i++) {
        a = sin(i * 7.1) * 2; b = cos(i * 3.7) * 2
        printf "%.4f,%.4f,%d,%s\n", a, b, 1 + i % 5 * 9, (a * a + b * b > 2.5 ? "out" : "in")
    }
}' >round.csv
for options in '' '--scale standard' '--normalize ball' '--multiclass ovo' \
    '--approx nystrom:30' '--approx nystrom:30 --scale min-max --positive in' '--approx nystrom:60 --classes out,in'; do
    # shellcheck disable=SC2086 # none, or an option and its value
    halfspace train svm -q --kernel 'rbf(1) + laplace(0.5)' --C 10 $options --row-weight w round.csv -o round.hsp | grep 'training error'
    halfspace eval -q round.hsp round.csv | grep mistakes
done
