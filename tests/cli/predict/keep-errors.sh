# What --keep cannot do, and why.
printf 'id,x,label\n1,1,yes\n2,-1,no\n' >t.csv
printf '1 1:1\n0 1:-1\n' >t.svm
halfspace train logistic -q t.csv --ignore id -o m.hsp >/dev/null
halfspace predict -q m.hsp t.csv --keep id 2>&1
halfspace predict -q m.hsp t.csv --keep id --output-format libsvm 2>&1
halfspace predict -q m.hsp t.csv --keep name --output-format csv 2>&1
halfspace predict -q m.hsp t.svm --keep id --output-format csv 2>&1
halfspace predict -q m.hsp t.csv --scores --output-format libsvm 2>&1
