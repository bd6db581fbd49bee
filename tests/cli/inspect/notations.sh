# One set of options reads all columns: none is advised that misreads a column, and the figures are in the notation of the options.
table() { # BALANCE LIMIT LIMIT SHARE
    awk -v b="$1" -v l="$2" -v m="$3" -v s="$4" 'BEGIN { print "balance,limit,share,age,left"
        for (i = 0; i < 40; i++)
            printf "\"%s\",\"%s\",\"%s\",%d,%s\n", sprintf(b, i % 7 + 1, 14 + i), i % 4 ? l : i % 3 ? m : 500, sprintf(s, i % 9, i % 7), 20 + i % 31, i % 2 ? "yes" : "no" }'
}
table '%d20,%d €' '$1,200' '$10,000' '%d.%d' >mixed.csv
table '%d.620,%d €' '1.200 €' '10.000 €' '%d,%d' >german.csv
table '%d20.%d' '1.200' '10.000' '%d.%d' >points.csv
table '%d.620,%d' '1 200' '10 000' '%d,%d' >spaces.csv
show() { echo "== $*"; halfspace inspect -q "$@" | grep -E '^  (balance|limit|share) |notation|decimal|thousands|figures'; }
show mixed.csv
show mixed.csv --decimal ,
show german.csv
show german.csv --decimal , --thousands point --currency
show points.csv
show spaces.csv
# several notations in one column
awk 'BEGIN { print "pay,age,left"
    for (i = 0; i < 40; i++) printf i % 3 ? "\"1.%d,%d €\",%d,%s\n" : "€1%d.%d,%d,%s\n", 100 + i, 10 + i, i, i % 2 ? "yes" : "no" }' >several.csv
show several.csv | grep -v '^  [a-z]'
# a group of thousands does not begin with a zero
printf 'x,c\n"0,512",a\n"1,512",b\n' >zero.csv
halfspace convert -q zero.csv - --thousands , --to csv
