# What a page warns of.
told() { halfspace report -q "$@" -o page.html | sed -n 's/^  - //p'; }
question "one class for every row, unbalanced"
{ for i in $(seq 40); do echo "no 1:$((i % 7))"; done; echo "yes 1:3"; echo "yes 1:2"; } >rare.svm
halfspace train svm -q rare.svm -o m.hsp >/dev/null 2>&1
told m.hsp rare.svm
question "not converged"
halfspace train perceptron -q --passes 1 rare.svm -o m.hsp >/dev/null 2>&1
told m.hsp rare.svm | grep converge
question "a class without rows, few rows, labels that are not known"
printf 'no 1:1\nno 1:2\nmaybe 1:3\n' >few.svm
told m.hsp few.svm
question "one column has the answer, and an id is used"
{ echo id,x,answer,class; for i in $(seq 60); do echo "$i$i,$((i * 7 % 5)),$((i % 2)),$([ $((i % 2)) = 1 ] && echo a || echo b)"; done; } >leak.csv
halfspace train svm -q leak.csv --scale standard -o m.hsp >/dev/null
told m.hsp leak.csv | grep -E 'rests|leak'
question "test rows that are training rows"
head -n 31 leak.csv >train.csv
{ head -n 1 leak.csv; tail -n 40 leak.csv; } >test.csv
halfspace train svm -q train.csv --scale standard -o m.hsp >/dev/null
told m.hsp train.csv --test test.csv | grep among
question "an imported model"
sed 's/^no/1/; s/^yes/2/' rare.svm >numbers.svm
halfspace train svm -q numbers.svm -o m.hsp >/dev/null 2>&1
halfspace model export -q m.hsp --format liblinear -o m.liblinear
told m.liblinear numbers.svm | grep record
grep -c 'imported from' page.html
question "no better by its error, although it ranks the rows"
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n1\n-5\n' >five.txt
halfspace model import -q five.txt -o five.hsp
printf -- '-1 1:6\n-1 1:7\n-1 1:8\n+1 1:9\n-1 1:1\n' >five.svm
told five.hsp five.svm | grep better
