# What cannot be certified is said, and nothing is written.
cp "$EXAMPLES/iris.csv" .
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
halfspace convert -q iris.csv iris.hsp
printf '1:1 2:2\n' >plain.svm
halfspace train perceptron -q iris.csv -o three.hsp >/dev/null 2>&1
try() { "$@" 2>&1; echo "exit $?"; }
try halfspace certify -q iris.csv -o x.cert
try halfspace certify -q iris.hsp -o x.cert
try halfspace certify -q - -o x.cert <iris.csv
try halfspace certify -q iris.csv --claim sepparable
try halfspace certify -q iris.csv --positive rose
try halfspace certify -q iris.csv --positive setosa --classes setosa,virginica
try halfspace certify -q iris.csv --classes setosa
try halfspace certify -q iris.csv --classes setosa,setosa
try halfspace certify -q iris.csv --model three.hsp
try halfspace certify -q iris.csv --positive setosa -o iris.csv
try halfspace certify -q iris.csv --positive setosa --kernel 'rbf('
try halfspace certify -q nowhere.csv
try halfspace train svm -q --certify - <iris.csv
try halfspace verify nowhere.cert iris.csv
try halfspace verify iris.csv iris.csv
ls
# Held-out rows say nothing of a model that was learnt from other rows than DATA's: it may have seen them.
halfspace make halfspace --rows 60 --features 3 --seed 3 -q -o all.svm
halfspace split -q all.svm one.svm two.svm --test 0.5
halfspace train svm -q one.svm -o one.hsp >/dev/null
halfspace certify -q two.svm --model one.hsp --test one.svm --claim error
echo "status $?"
