# The checker says why what it found could not be written.
[ -w /dev/full ] || { echo "there is no /dev/full"; exit 77; }
checker=$(dirname "$(readlink -f "$HALFSPACE")")/halfspace-verify
[ -x "$checker" ] || { echo "built without GMP"; exit 77; }
cp "$EXAMPLES/iris.csv" .
halfspace certify -q --positive setosa iris.csv -o c.cert >/dev/null
"$checker" c.cert iris.csv 2>&1 >/dev/full
echo "status $?"
