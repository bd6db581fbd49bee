# A percent sign that part of a column lacks: 18.2 may be 18.2 or 0.182.
awk 'BEGIN { print "usage,age,left"
    for (i = 0; i < 40; i++) printf "%.1f%s,%d,%s\n", 18.2 + i, i % 10 == 3 ? "" : "%", 20 + i % 31, i % 2 ? "yes" : "no" }' >part.csv
halfspace inspect -q part.csv | grep -e percent -e 'to read'
halfspace inspect -q part.csv --percent | grep -e percent -e 'to read'
halfspace convert -q part.csv - --to csv --percent 2>&1
halfspace convert -q part.csv - --to csv --ignore usage | head -n 2
