# Of classes with equal votes the nearer wins, then the first class: rows at 0 (b) and 4 (a).
printf 'b 1:0\na 1:4\n' >two.svm
printf '1:1\n1:3\n1:2\n' >asked.svm
for vote in majority distance; do
    halfspace train knn -q --k 2 --vote $vote two.svm -o two.hsp >/dev/null
    halfspace predict -q two.hsp asked.svm --scores
    halfspace neighbors -q two.hsp asked.svm
done
