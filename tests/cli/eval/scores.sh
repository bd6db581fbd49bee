exec 2>&1
# One class for all rows; a score first, with an interval; weights of rows.
printf 'x,w,y\n1,1,no\n2,2,no\n3,1,no\n4,0.5,no\n5,3,yes\n' >r.csv
halfspace train svm -q --C 1e-6 --row-weight w r.csv -o m.hsp >/dev/null
halfspace eval -q m.hsp r.csv | grep -E 'one class|error'
halfspace eval -q m.hsp r.csv --json | grep -E 'only_class|majority_class'
halfspace eval -q m.hsp r.csv --row-weight w | grep -E 'rows|weight|error'
halfspace eval -q m.hsp r.csv --row-weight w --json | tr -d ' \n' | grep -o '"confusion_weights[^}]*]]'
halfspace eval -q m.hsp r.csv --row-weight y
halfspace eval -q m.hsp r.csv --score balanced-accuracy --interval 0.9 --threads 1 >one
halfspace eval -q m.hsp r.csv --score balanced-accuracy --interval 0.9 --threads 3 >three
cmp one three && head -n 2 one
halfspace eval -q m.hsp r.csv --interval 1
halfspace eval -q m.hsp r.csv --score accuracy
