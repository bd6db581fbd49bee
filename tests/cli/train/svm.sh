# The support vector machine finds the widest margin and reports its distance from the optimum.
cp "$EXAMPLES/iris.csv" .
halfspace train svm --classes versicolor,virginica --C 10 --gap 1e-7 iris.csv -o m.hsp 2>&1 |
    sed -E 's/[0-9]\.[0-9]+e-[0-9]+/tiny/g; s/(0\.[0-9]{4})[0-9]*/\1/g; s/(passes|updates)( +)[0-9]+/\1\2N/; s/ity 0,/ity tiny,/; s/(primal|dual) (0|tiny)/\1 tiny/g'
halfspace eval -q m.hsp iris.csv | grep -E 'error|hinge' | sed -E 's/(0\.[0-9]{3})[0-9]*/\1/'
question 'The margin is one that the model has: the widest that the certificate allows is not below it'
halfspace train svm -q --positive setosa iris.csv --certify |
    awk '$1 == "margin" { had = $2 } /widest margin/ { sub(/.*, /, ""); print (had + 0 > 0.8), (had + 0 <= $0 + 0) }'
question 'C and lambda: C = 1 / (lambda n)'
printf -- '-1 1:-1\n+1 1:1\n' >two.svm
halfspace train svm -q --lambda 0.25 --json two.svm | grep -E '"(C|lambda|objective)"' | cut -c1-20
