# A model that predicts one class for every row is no success, and says so.
awk 'BEGIN { print "x,late"; for (i = 0; i < 120; i++) print i % 11 "," (i % 12 == 5 ? "yes" : "no") }' >late.csv
halfspace train svm -q late.csv 2>&1 | grep -e 'training error' -e EVERY
question 'Cross-validated and tuned'
halfspace cv svm -q late.csv 2>&1 | grep -e 'error  ' -e majority -e EVERY
halfspace tune svm -q late.csv --tune C=0.1,1 2>&1 | grep -e 'validation' -e EVERY
question 'With balanced classes there is nothing to say'
halfspace train svm -q --weight balanced late.csv 2>&1 | grep EVERY || echo nothing
