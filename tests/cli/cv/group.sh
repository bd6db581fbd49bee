# Folds that keep groups together: no group is both learned from and predicted.
awk 'BEGIN { print "patient,x,outcome"
             for (i = 0; i < 60; i++) print "p" i * i % 13 "," i % 7 "," (i % 7 > 2 + i % 3 ? "ill" : "well") }' >visits.csv
halfspace cv svm -q --group patient --folds 3 --held-out held.csv visits.csv
question 'The fold of each group'
tail -n +2 held.csv | cut -d, -f2 >folds
tail -n +2 visits.csv | cut -d, -f1 | paste -d' ' - folds | sort | uniq -c | sed 's/^ *//'
question 'Tuning; the column is not a feature'
halfspace tune svm -q --group patient --folds 3 --tune C=0.1,1,10 visits.csv -o m.hsp | head -n 1
question 'Too few groups, no such column, standard input, rows left out'
halfspace cv svm -q --group patient --folds 8 visits.csv 2>&1; echo "exit $?"
halfspace cv svm -q --group patent visits.csv 2>&1; echo "exit $?"
halfspace cv svm -q --group patient - 2>&1 <visits.csv; echo "exit $?"
sed '5s/,[0-9]*,/,,/' visits.csv >gap.csv
halfspace cv svm -q --group patient --missing drop gap.csv 2>&1; echo "exit $?"
question 'Queries of libsvm text'
awk 'BEGIN { for (i = 0; i < 30; i++) print (i % 3 > 1) " qid:" i % 4 " 1:" i % 5 }' >ranked.svm
halfspace cv svm -q --group qid --folds 4 ranked.svm | sed -n '7,12p'
