# More rows than a figure shows: a sample, and the note says so. What is decided and computed is about all rows.
look() { halfspace plot -q "$@" -o o.svg && sed -n 's/.*>\([0-9,]* of [0-9,]* rows shown, a random sample\).*/\1/p' o.svg && [ "$(wc -c <o.svg)" -lt 700000 ] || echo 'too large'; }
halfspace make separable -q --rows 20000 --features 2 --margin 0.05 --seed 3 -o rows.svm
question 'rows'
look rows.svm
question 'steps'
halfspace train perceptron -q rows.svm --trace run.csv >/dev/null
look steps rows.svm run.csv
question 'neighbors'
halfspace train knn -q --k 5 rows.svm -o knn.hsp >/dev/null
look neighbors knn.hsp rows.svm --at 0,0
question 'hulls: the margin is that of all rows'
look hulls rows.svm
halfspace plot -q hulls rows.svm --json | grep -o 'half their distance: [0-9.]\{10\}'
question 'principal axes are those of rows from the whole file'
awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 12000; i++) print i < 8000 ? i % 7 "," i % 11 "," i % 5 "," i % 2 : 99 * (i % 3) "," 99 * (i % 3) "," i % 5 "," i % 2 }' >halves.csv
look halves.csv && grep -o ">principal axis 1[^<]*" o.svg
