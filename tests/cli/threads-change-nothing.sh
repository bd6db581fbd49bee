# Nor does the instruction set.
for t in 1 2 7; do
    halfspace make halfspace --rows 20000 --features 10 -q --threads $t | cksum
done | uniq | wc -l
halfspace make halfspace --rows 20000 --features 10 -q -o a.svm
for t in 1 2 7; do
    halfspace convert -q a.svm - --to csv --threads $t | cksum
done | uniq | wc -l
for t in 1 2 7; do
    halfspace inspect a.svm --threads $t | cksum
    HSP_SIMD=scalar halfspace inspect a.svm --threads $t | cksum
done | uniq | wc -l
# Nor a small cache that pairs of classes share.
head -1 "$EXAMPLES/iris.csv" >many.csv
for i in 1 2 3 4 5 6 7 8 9; do tail -n +2 "$EXAMPLES/iris.csv"; done >>many.csv
for t in 1 2 4; do
    halfspace train svm -q --kernel 'rbf(0.5)' --multiclass ovo --C 10 --cache-mb 1 --threads $t many.csv -o m.hsp >/dev/null 2>&1
    halfspace model show m.hsp | cksum
done | uniq | wc -l
