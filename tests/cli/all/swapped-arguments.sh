# Arguments in the wrong order: the message says so.
cp "$EXAMPLES/iris.csv" .
halfspace convert -q iris.csv iris.hsp
halfspace train svm -q --positive setosa iris.csv -o m.hsp >/dev/null
printf '{\n  "format": "halfspace certificate",\n  "version": 1\n}\n' >c.cert
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1 >/dev/null | sed 's/^halfspace: //'
}
for command in predict eval audit neighbors; do
    try $command iris.csv m.hsp
done
try predict iris.hsp m.hsp
try verify iris.csv c.cert
