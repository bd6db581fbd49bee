# The widest margin, and how near to the best it is.
cp "$EXAMPLES/iris.csv" .
halfspace train svm --classes versicolor,virginica --C 10 --gap 1e-7 iris.csv -o m.hsp 2>&1 |
    sed -E 's/[0-9]\.[0-9]+e-[0-9]+/tiny/g; s/(0\.[0-9]{4})[0-9]*/\1/g; s/(passes|updates)( +)[0-9]+/\1\2N/; s/ity 0,/ity tiny,/; s/(primal|dual) (0|tiny)/\1 tiny/g'
halfspace eval -q m.hsp iris.csv | grep -E 'error|hinge' | sed -E 's/(0\.[0-9]{3})[0-9]*/\1/'
question 'The margin is one that the model has: the widest that the certificate allows is not below it'
halfspace train svm -q --positive setosa iris.csv --certify |
    awk '$1 == "margin" { had = $2 } /widest margin/ { sub(/.*, /, ""); print (had + 0 > 0.8), (had + 0 <= $0 + 0) }'
question 'Two points: w = 1, b = 0, margin 1'
printf -- '-1 1:-1\n+1 1:1\n' >two.svm
halfspace train svm --hard two.svm | sed -E 's/(passes|updates)( +)[0-9]+/\1\2N/; s/(converged +yes).*/\1/; /KKT/d'
question 'C and lambda: C = 1 / (lambda n)'
halfspace train svm -q --lambda 0.25 --json two.svm | grep -E '"(C|lambda|objective)"' | cut -c1-20
question 'A separator that was demanded and does not exist: the evidence, status 1, and no model'
printf '0 1:0 2:0\n0 1:1 2:1\n1 1:0 2:1\n1 1:1 2:0\n' >xor.svm
halfspace train svm --hard xor.svm -o none.hsp 2>&1 | sed -E 's/[0-9.]+e-[0-9]+/tiny/g'
halfspace train svm --hard -q xor.svm >/dev/null 2>&1
echo "exit $?"
ls none.hsp 2>/dev/null
halfspace train svm --hard -q --json xor.svm | sed -n '/evidence/,/]/p;/class_names/,/]/p' | tr -d ' \n'
echo
question 'Whatever does not converge says so, with its gap; the status is 0'
halfspace make halfspace --rows 2000 --features 20 --noise 0.1 -q -o h.svm
halfspace train svm -q --gap 1e-9 --max-passes 2 h.svm 2>&1 >out | sed -E 's/in .*: duality/in N passes: duality/; s/gap [0-9.e-]+/gap G/'
grep -c 'converged  *no' out
question 'Logistic regression; several classes'
halfspace train logistic -q iris.csv | grep -Ev 'solver|KKT|gap|objective'
for way in ovr ovo crammer-singer; do
    halfspace train svm -q --multiclass $way iris.csv | grep -E 'on iris|training'
done
question 'Pairs have one C or one lambda, whichever was given'
head -n 120 iris.csv >uneven.csv
halfspace train svm -q --multiclass ovo --C 2 uneven.csv | grep -E '^  (C|lambda)'
halfspace train svm -q --multiclass ovo --lambda 0.1 uneven.csv | grep -E '^  (C|lambda)'
question 'A solver that was named and did not get there: there are others'
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 3 == 0), "1:" (1000 + 37 * i % 101) }' >far.svm
halfspace train svm -q --solver dcd --C 10 --max-passes 50 far.svm 2>&1 >/dev/null | sed -E 's/gap [0-9.]+/gap G/'
halfspace train svm -q --C 10 far.svm 2>&1 | grep -c 'converged *yes'
