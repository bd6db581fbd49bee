# A column in another notation is not misread: it is left out, and that is said.
awk 'BEGIN { print "balance,limit,left"
    for (i = 0; i < 60; i++) printf "\"%d20,%d €\",\"$%s\",%s\n", i % 7 + 1, 14 + i, i % 4 ? "1,200" : i % 3 ? "10,000" : 500, i % 4 ? "yes" : "no" }' >mixed.csv
halfspace auto mixed.csv -o mixed.hsp 2>/dev/null | grep -A 4 '^Assumed'
