# Numbers that are converted keep their decimal digits, however many there are.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
# Below the line of names: do two tables have the same words, and the same numbers as decimals, however these are written?
same()
{
    python3 - "$1" "$2" <<'PY'
import decimal, sys

def value(word):
    try:
        return decimal.Decimal(word)
    except decimal.InvalidOperation:
        return word

def words(path):
    return [[value(word) for word in line.split(",")] for line in open(path).read().splitlines()[1:]]

print("same" if words(sys.argv[1]) == words(sys.argv[2]) else "DIFFERENT")
PY
}
question 'Two account numbers that differ in the last digit'
printf 'acct,x,y\n123456789,0.1,a\n123456790,0.5,b\n' | halfspace convert -q - - --to csv
question 'Numbers of more than 15 digits, to libsvm text and back'
printf 'x,y\n0.12345678901234567,a\n98765.432109876543,b\n+1.50,a\n8.007199254740991,b\n' >long.csv
halfspace convert -q long.csv - --to csv
halfspace convert -q long.csv long.svm
cat long.svm
halfspace convert -q long.svm again.csv
same long.csv again.csv
question 'A long identifier, numbers that are 0 in double precision or nearly, a missing value, a category'
cat >wide.csv <<'CSV'
id,x,word,z,y
12345678901234567890,1e-400,red,-0.000,a
18446744073709551616,+1.50,blue,4e-324,b
12345678901234567891,,red,1.00000000000000000000000000001,a
CSV
halfspace convert wide.csv - --to csv --missing mean 2>&1
halfspace convert -q wide.csv - --missing indicator
halfspace convert -q wide.csv rows.csv --missing drop --ignore word
sed '4d' wide.csv | cut -d, -f1,2,4,5 >expected.csv
same expected.csv rows.csv
question 'Columns in the order of an encoding, from a compressed file'
printf 'x,id,y\n1e-400,12345678901234567890,a\n5,12345678901234567891,b\n' >later.csv
printf 'id,x,y\n1,2,a\n3,4,b\n' >first.csv
halfspace convert -q first.csv first.svm --save-encoding e.json
gzip later.csv
halfspace convert -q later.csv.gz - --encoding e.json
halfspace convert -q later.csv.gz - --encoding e.json --to tsv
question 'libsvm text with columns from 0 and comments'
printf 'b 0:1e-400 3:0.10 7:0.12345678901234567 # a\na 2:12345678901234567891 3:00012345678901234567890.50e1\n# all\n' >zero.svm
halfspace convert -q zero.svm - --to libsvm
halfspace convert -q zero.svm - --to csv
question 'Many rows, on the way through two formats: the same decimals'
awk 'BEGIN { srand(7); print "a,b,c,y"; for (i = 0; i < 20000; i++) printf "%.17g,%d%09d%09d,%.20e,%s\n", rand(), 1 + 9 * rand(), 1e9 * rand(), 1e9 * rand(), rand() - 0.5, i % 2 ? "u" : "v" }' >many.csv
halfspace convert -q many.csv many.csv.gz
halfspace convert -q --threads 1 many.csv.gz many.svm
halfspace convert -q many.svm back.csv
same many.csv back.csv
