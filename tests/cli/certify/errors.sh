# What cannot be certified is refused, and nothing is written.
cp "$EXAMPLES/iris.csv" .
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
halfspace convert -q iris.csv iris.hsp
halfspace train perceptron -q iris.csv -o three.hsp >/dev/null 2>&1
try() { "$@" 2>&1; echo "exit $?"; }
question 'Data that are no text file of two classes'
try halfspace certify -q iris.csv -o x.cert
try halfspace certify -q iris.hsp -o x.cert
try halfspace certify -q - -o x.cert <iris.csv
try halfspace train svm -q --certify - <iris.csv
try halfspace certify -q nowhere.csv
question 'Classes that are not there, or chosen twice'
try halfspace certify -q iris.csv --positive rose
try halfspace certify -q iris.csv --positive setosa --classes setosa,virginica
try halfspace certify -q iris.csv --classes setosa,setosa
try halfspace certify -q iris.csv --classes setosa
question 'A model of three classes'
try halfspace certify -q iris.csv --model three.hsp
question 'A claim or a kernel that does not exist'
try halfspace certify -q iris.csv --claim sepparable
try halfspace certify -q iris.csv --positive setosa --kernel 'rbf('
question 'The data as the output'
try halfspace certify -q iris.csv --positive setosa -o iris.csv
question 'verify: no certificate'
try halfspace verify nowhere.cert iris.csv
try halfspace verify iris.csv iris.csv
question 'Nothing was written'
ls
