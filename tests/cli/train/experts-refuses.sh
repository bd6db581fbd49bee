# Experts refuse data and options that they cannot use.
cp "$EXAMPLES/iris.csv" .
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace convert -q five.csv five.svm
halfspace train experts -q five.csv -o five.hsp >/dev/null
halfspace train experts -q --stream --classes no,yes five.svm 2>&1
halfspace train experts -q --stream --votes bit five.svm 2>&1
halfspace train experts -q --randomized iris.csv 2>&1
halfspace train experts -q --beta 1 five.csv 2>&1
halfspace model export -q five.hsp --format liblinear -o out.model 2>&1
echo "exit $?"
