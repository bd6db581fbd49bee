halfspace make separable --rows 50 --features 30 -q -o a.svm
count() { halfspace inspect a.svm "$@" | sed -n '/^Columns/,/^$/p' | wc -l; }
count
count --columns 3
count --columns 0.3e1
count --columns all
count --columns 0
halfspace inspect a.svm | grep '^Columns'
