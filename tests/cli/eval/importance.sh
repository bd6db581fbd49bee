exec 2>&1
# Only the colour decides: shuffling all its features together loses accuracy, the others lose nothing.
awk 'BEGIN { print "size,colour,label"; for (i = 0; i < 60; i++) print i % 7 "," (i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : "green") "," (i % 3 == 0 ? "yes" : "no") }' >t.csv
halfspace train svm -q t.csv -o m.hsp >/dev/null
halfspace eval -q m.hsp t.csv --importance --seed 2 | sed -n '/Importance/,/^$/p'
halfspace eval -q m.hsp t.csv --importance --json --threads 1 | sed -n '/"importance"/,/]/p' >one
halfspace eval -q m.hsp t.csv --importance --json --threads 3 | sed -n '/"importance"/,/]/p' >three
cmp one three && grep -c column one
# Sparse rows as dense ones.
halfspace convert -q t.csv t.svm
halfspace train svm -q t.svm -o s.hsp >/dev/null
halfspace eval -q s.hsp t.svm --importance --repeats 2 --score auc | sed -n '/Importance/,/^$/p'
halfspace eval -q m.hsp t.csv --importance --score brier
