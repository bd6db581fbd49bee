# A table with an id, dates and prices is refused with the options that read it; a quantity is no label.
awk 'BEGIN { print "id,when,pay,age,price,bought"
    for (i = 0; i < 150; i++)
        printf "C%03d,2020-%02d-%02d,\"$ %d,%03d\",%d,%.1f,%s\n", i, i % 12 + 1, i / 12 + 1, i % 7 + 1, i * 6, i % 50, \
            i / 2, i % 50 < 20 ? "yes" : "no" }' >rows.csv
halfspace train svm -q rows.csv 2>&1
echo "exit $?"
question 'With the options'
halfspace train svm -q rows.csv --ignore id,when --thousands , --currency 2>&1 | head -n 1
question 'A number as the label'
halfspace train svm -q rows.csv --ignore id,when,pay --label price 2>&1
echo "exit $?"
halfspace cv svm -q rows.csv --ignore id,when,pay --label price 2>&1
halfspace train svm -q rows.csv --ignore id,when,pay --label Price 2>&1
