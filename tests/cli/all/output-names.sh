# A name that is empty is refused before anything is computed; what a link leads to is made.
cp "$EXAMPLES/iris.csv" .
try()
{
    halfspace "$@" 2>&1
    echo "status $?"
}
try train svm iris.csv -o ''
try convert iris.csv ''
try scale iris.csv a.svm --save ''
try scale iris.csv a.svm --save a.svm
printf 'length,width,species\n' >names.csv
try train svm -q names.csv -o m.hsp
ln -s folder/model.hsp m.hsp
mkdir folder
halfspace train svm -q --positive setosa iris.csv -o m.hsp >/dev/null
ls -A folder
[ -L m.hsp ] && echo 'still a link'
