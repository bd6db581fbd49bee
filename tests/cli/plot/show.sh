# What --show adds, by hand: w = (3, 4), b = -5, so that the boundary is 1 from the origin, and the rows are at
# distances 4, 1, 0.4 and 1.2.
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n3\n4\n-5\n' >plane.txt
halfspace model import -q plane.txt -o plane.hsp
printf '1 1:3 2:4\n-1 1:0 2:0\n1 1:1 2:1\n-1 1:1 2:-1\n' >rows.svm
question 'labels and notes: distances, geometric margin, d_O, w'
halfspace plot -q plane.hsp rows.svm --show distances,origin,geometric,w -o a.svg
grep -o '<text[^>]*>[^<]*</text>' a.svg | sed 's/<[^>]*>//g' | grep -E '^(4|1.2|0.4|w|d_O.*)$|γ' | sort
question 'slack of rows within their margin lines: 1 - y s'
halfspace plot -q plane.hsp rows.svm --show slack -o b.svg; grep -c 'ξ =' b.svg
printf '1 1:1 2:0.5\n-1 1:1 2:0.5\n-1 1:1 2:1\n' >wrong.svm
halfspace plot -q plane.hsp wrong.svm --show slack,mistakes,geometric -o b.svg
grep -o '>ξ = [^<]*\|>mistakes\|no geometric margin[^<]*' b.svg
question 'what a model does not have'
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --keep-dual iris.csv -o three.hsp >/dev/null
halfspace train svm -q --kernel rbf --positive setosa iris.csv -o kernel.hsp >/dev/null
halfspace train knn -q iris.csv -o knn.hsp >/dev/null
halfspace train svm -q --positive setosa iris.csv -o linear.hsp >/dev/null
for line in 'iris.csv --show w' 'three.hsp iris.csv --show margins' 'kernel.hsp iris.csv --show w' 'knn.hsp iris.csv --show support' \
    'linear.hsp iris.csv --show zebra' 'linear.hsp iris.csv --show w --x 1 --y 2' 'kernel.hsp rows.svm --show support'; do
    halfspace plot -q $line -o c.svg 2>&1
    echo "exit $?"
done
question 'of more features: the signed distance is on the horizontal axis'
halfspace plot -q linear.hsp iris.csv --show margins,w,distances,origin,support,hulls,mistakes,numbers -o d.svg
grep -o 'signed distance from the boundary' d.svg
question 'rows that differ far more along the boundary than across it: the axes have different units'
awk 'BEGIN { for (i = 0; i < 20; i++) print i % 2 ? 1 : -1, "1:" (i % 2 ? 2 : -2), "2:" i % 3, "3:" 1000 * (i % 7) }' >long.svm
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n1\n0\n0\n' >long.txt
halfspace model import -q long.txt -o long.hsp
halfspace plot -q long.hsp long.svm --show distances,w --json | grep -m 2 -E '"(low|high)"' | tr -d ' '
question 'kernel models and several classes: margins are curves; hulls and mistakes of any model'
halfspace plot -q kernel.hsp iris.csv --show margins,support,hulls -o e.svg && grep -o 's(x) = ±1\|support vectors' e.svg | sort -u
halfspace plot -q three.hsp iris.csv --show hulls,mistakes,support,numbers -o f.svg && grep -o 'mistakes\|numbers of the first 60 rows' f.svg | sort -u
question 'w = 0: there is no boundary'
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0\n0\n-1\n' >zero.txt
halfspace model import -q zero.txt -o zero.hsp
halfspace plot -q zero.hsp rows.svm --show margins,w,distances,origin,geometric,slack,support -o g.svg && grep -o 'w = 0: there is no boundary' g.svg
question 'one row, one class, rows that are all the same, one feature'
printf '1 1:3 2:4\n' >one.svm
printf '1 1:3 2:4\n1 1:3 2:4\n-1 1:3 2:4\n' >same.svm
for rows in one same; do halfspace plot -q plane.hsp $rows.svm --show margins,w,distances,origin,geometric,slack,support,hulls,mistakes,numbers -o h-$rows.svg && echo ok; done
printf '1 1:3\n-1 1:-1\n1 1:2\n' >line.svm
halfspace train svm -q --hard line.svm -o line.hsp >/dev/null
halfspace plot -q line.hsp line.svm --show margins,w,distances,origin,geometric,slack,support,hulls,mistakes,numbers -o i.svg && echo ok
grep -l -i -E '[ "]-?(nan|inf)' *.svg || echo "all numbers are finite"
