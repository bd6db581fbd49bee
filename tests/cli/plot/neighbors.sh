# The nearest rows of a point, by hand: of (0, 0), rows 1 to 3 are at distances 1, 1 and 1.5.
printf 'a 1:1 2:0\na 1:0 2:1\nb 1:-1.5 2:0\nb 1:3 2:3\nb 1:-4 2:1\n' >rows.svm
halfspace train knn -q --k 3 rows.svm -o knn.hsp >/dev/null
question 'a point by its features'
halfspace plot -q neighbors knn.hsp rows.svm --at 0,0 -o a.svg && grep -o 'the 3 nearest rows[^<]*' a.svg
question 'a row: it does not vote for itself'
halfspace plot -q neighbors knn.hsp rows.svm --row 3 --k 2 -o b.svg && grep -o 'the 2 nearest rows[^<]*' b.svg
question 'more features'
cp "$EXAMPLES/iris.csv" .
halfspace train knn -q --k 5 --scale standard iris.csv -o iris.hsp >/dev/null
halfspace plot -q neighbors iris.hsp iris.csv --row 107 --width 1000 -o c.svg && grep -o 'distances are of all features, scaled\|the 5 nearest rows[^<]*' c.svg
question 'what is missing or wrong'
for line in 'knn.hsp rows.svm' 'knn.hsp rows.svm --row 6' 'knn.hsp rows.svm --at 0' 'knn.hsp rows.svm --at 0,x' 'knn.hsp rows.svm --row 1 --k 5' 'knn.hsp iris.csv --row 1'; do
    halfspace plot -q neighbors $line -o d.svg 2>&1
    echo "exit $?"
done
