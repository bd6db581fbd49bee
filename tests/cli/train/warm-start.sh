# Training starts at a model that was saved with its dual variables; a model of other data is refused.
printf 'x,class,n,z\n1,a,2,0\n-1,b,1,1\n0.5,b,3,2\n2,a,0,1\n-2,b,1,-1\n1.5,a,1,2\n' >w.csv
printf '1 0:1 1:2\n0 0:-1 1:1\n0 0:1.5 1:-1\n' >zero.svm
halfspace train svm -q --label class --gap 1e-9 --lambda 0.1 --row-weight 3 w.csv -o m.hsp >/dev/null
halfspace train svm -q --label class --gap 1e-9 --keep-dual w.csv -o first.hsp >/dev/null
halfspace train svm -q --label class --gap 1e-6 --warm-start first.hsp w.csv --json | grep -E '"converged"'
halfspace train svm -q --label class --warm-start m.hsp zero.svm 2>&1 | head -n 1
