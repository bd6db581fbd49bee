# Through every format and back, nothing changes.
halfspace make text --rows 300 --features 2000 -q -o a.svm
for name in b.csv c.tsv d.hsp e.svm.gz f.csv.xz g.svm.zst h.svm.bz2; do
    halfspace convert -q a.svm $name
    halfspace convert -q $name back.svm --features 2000
    cmp a.svm back.svm && echo "$name is the same"
done
ls
