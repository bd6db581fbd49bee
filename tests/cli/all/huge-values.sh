# Values whose squares leave the range of double precision: audit and bound say nothing about figures that overflowed.
printf 'x,y,class\n1e300,1,a\n-1e300,1,b\n5e299,2,a\n-5e299,3,b\n1e-300,4,a\n-1e-300,5,b\n' >huge.csv
halfspace train perceptron -q huge.csv --passes 16 -o p.hsp >/dev/null 2>&1
halfspace audit -q p.hsp huge.csv >audit
echo "exit $?"
grep -iE 'inf|nan|exceeded|range of|held\.' audit
halfspace audit -q p.hsp huge.csv --json | grep -c '"held": false'
halfspace bound -q p.hsp --train huge.csv | grep -E '^  (margin|pac-bayes) '
