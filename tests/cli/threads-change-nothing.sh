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
