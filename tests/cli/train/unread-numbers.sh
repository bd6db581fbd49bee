# Numbers that the given options do not read: none of those is advised again, and a value is named.
awk 'BEGIN { print "usage,pay,age,left"
    for (i = 0; i < 150; i++) printf "%s,\"%d,%d €\",%s,%s\n", i < 2 ? 7 : 18 + i / 10 "%", i, i % 90 + 10, i == 140 ? "old" : i, i % 2 ? "yes" : "no" }' >table.csv
for options in '' '--percent --decimal , --currency' '--ignore usage --decimal , --currency'; do
    echo "== $options"
    halfspace train svm -q table.csv $options -o model.hsp 2>&1 | cut -c 1-420
done
