# A table with an id, dates and prices is refused with the options that read it; a quantity is no label.
awk 'BEGIN { print "id,when,pay,age,price,bought"
    for (i = 0; i < 150; i++)
        printf "C%03d,2020-%02d-%02d,\"$ %d,%03d\",%d,%.1f,%s\n", i, i % 12 + 1, i / 12 + 1, i % 7 + 1, i * 6, i % 50, \
            i / 2, i % 50 < 20 ? "yes" : "no" }' >rows.csv
halfspace train svm -q rows.csv 2>&1
echo "exit $?"
question 'With the options'
halfspace train svm -q rows.csv --ignore id --date when:days,month --thousands , --currency -o m.hsp 2>&1 | head -n 1
question 'The model reads new rows in the same way'
printf 'price,pay,when,age,id\n2,"$ 2,006",2021-03-14,3,X\n2,n/a,2021-03-14,3,X\n' >new.csv
halfspace predict -q m.hsp new.csv --on-error skip 2>&1
sed '3d; s/2021-03-14/14 March/' new.csv >other.csv
halfspace predict -q m.hsp other.csv 2>&1
halfspace certify -q rows.csv --ignore id,pay --date when -o c.json 2>&1
question 'A number as the label'
halfspace train svm -q rows.csv --ignore id,when,pay --label price 2>&1
echo "exit $?"
halfspace cv svm -q rows.csv --ignore id,when,pay --label price 2>&1
halfspace train svm -q rows.csv --ignore id,when,pay --label Price 2>&1
