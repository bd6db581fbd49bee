# Numbers in memory are those of the file: double precision is chosen where single precision would change them.
tell() { halfspace "$@" 2>&1 | grep -E 'kept in|double|memory|training error|mistakes|duplicate rows|contradictory|margin  |not separable|status'; }
# lp finds a separator and says that it is confirmed; prints what it says if it does not. (There may be no solver.)
lp()
{
    halfspace train lp -q "$1" >lp 2>&1
    grep -q 'no linear programming' lp && return
    grep -q 'separates  *all rows, confirmed in exact arithmetic on the decimals of the file' lp &&
        grep -q 'training error  *0% (0 of' lp || { echo "lp on $1:"; cat lp; }
}
awk 'BEGIN { print "ts,y"; for (i = 0; i < 2000; i++) printf "%d,%s\n", 1700000000 + i, i < 1000 ? "early" : "late" }' >tsdep.csv
question 'A column of Unix seconds'
tell inspect tsdep.csv
tell train svm --hard tsdep.csv
tell train logistic tsdep.csv
halfspace train knn -q --k 1 tsdep.csv -o knn.hsp >/dev/null
tell eval knn.hsp tsdep.csv
lp tsdep.csv
question '200 rows of it'
sed -n '1p;902,1101p' tsdep.csv >ts200.csv
tell train svm --hard -q ts200.csv
tell train svm --scale standard --C 1e6 -q ts200.csv
halfspace train knn -q --k 1 ts200.csv -o knn.hsp >/dev/null
tell eval knn.hsp ts200.csv
question 'Neighbouring whole numbers beyond 2^24'
printf '1 1:16777217\n-1 1:16777216\n' >p.svm
tell train svm --hard p.svm
lp p.svm
question 'Values that are close together, from a file and from a pipe'
printf 'a 1:1700.01\na 1:1700.02\nb 1:1700.03\n' >close.svm
tell inspect close.svm
tell inspect - <close.svm
cat close.svm | tell inspect -
question 'The user overrides the choice'
tell inspect --precision single close.svm
tell inspect -q --precision double "$EXAMPLES/iris.csv"
