# What is said to be equal, constant or zero is so for the decimals of the file.
awk 'BEGIN { print "ts,y"; for (i = 0; i < 2000; i++) printf "%d,%s\n", 1700000000 + i, i < 1000 ? "early" : "late" }' >tsdep.csv
counts() { halfspace inspect -q "$@" | grep -E 'zeros|duplicate|contradictory|constant|Equal|rounding'; }
echo "# seconds"
counts --precision single tsdep.csv
echo "# the same from a pipe"
counts --precision single - <tsdep.csv | sed 's/^  *//'
echo "# more digits than a double holds"
printf 'id,c,y\n100000000000000001,0.1,a\n100000000000000002,0.10000000000000000001,b\n1000000000000000020e-1,0.1,a\n' >id.csv
counts id.csv
echo "# numbers that become 0"
printf 'a 1:1e-400 2:0\nb 1:10e-401\nb\n' >tiny.svm
counts tiny.svm 2>&1
