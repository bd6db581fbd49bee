# A file of another kind than expected is recognised, with what to do about it.
cp "$EXAMPLES/iris.csv" .
halfspace convert -q iris.csv iris.svm --save-encoding e.json
halfspace convert -q iris.csv iris.hsp
halfspace train svm -q --positive setosa iris.csv -o m.hsp >/dev/null
halfspace scale -q iris.svm scaled.svm --save s.hsp
printf 'svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nlabel 1 -1\nnr_sv 1 0\nSV\n1 1:1\n' >libsvm.model
printf 'solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n1\n' >liblinear.model
printf 'x\n-1 1\n1 4.3 7.9\n2 2 4.4\n' >range
printf 'y\n0 1\n-1 1\nx\n-1 1\n1 4.3 7.9\n' >range-y
printf '{\n  "format": "halfspace certificate",\n  "version": 1\n}\n' >c.cert
gzip -k iris.csv
printf '\001\002\003 not anything\n' >junk
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1 >/dev/null | sed 's/^halfspace: //'
}
question 'Where a model is expected'
for file in range range-y iris.csv iris.csv.gz iris.svm iris.hsp s.hsp c.cert e.json junk; do
    try predict -q $file iris.csv
done
question 'Where data are expected'
for file in libsvm.model liblinear.model range range-y m.hsp s.hsp c.cert e.json; do
    try inspect -q $file
done
question 'Where a saved scaling is expected'
for file in range iris.svm iris.hsp m.hsp c.cert; do
    try scale -q iris.svm out.svm --apply $file
done
question 'Where an encoding is expected'
for file in iris.csv m.hsp c.cert; do
    try convert -q iris.csv out.svm --encoding $file
done
question 'Where a model of LIBSVM or LIBLINEAR is expected'
for file in m.hsp iris.csv range; do
    try model import -q $file -o out.hsp
done
question 'Other commands that read models and data'
try train svm -q --warm-start iris.csv iris.csv
try train perceptron -q --stream m.hsp -o out.hsp
try train svm -q m.hsp -o out.hsp
try predict -q m.hsp m.hsp
try split -q m.hsp a.hsp b.hsp
try certify -q m.hsp
try verify m.hsp iris.csv
