# An output that is a symbolic link: the file that it leads to is made, and the link stays.
cp "$EXAMPLES/iris.csv" .
ln -s folder/model.hsp m.hsp
mkdir folder
halfspace train svm -q --positive setosa iris.csv -o m.hsp >/dev/null
ls -A folder
[ -L m.hsp ] && echo 'still a link'
