# Names of outputs are checked before anything is computed.
cp "$EXAMPLES/iris.csv" .
try()
{
    halfspace "$@" 2>&1
    echo "status $?"
}
question 'An empty name'
try train svm iris.csv -o ''
try convert iris.csv ''
try scale iris.csv a.svm --save ''
question 'One name for two outputs'
try scale iris.csv a.svm --save a.svm
question 'Data without rows: no model'
printf 'length,width,species\n' >names.csv
try train svm -q names.csv -o m.hsp
