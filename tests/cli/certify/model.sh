# A certificate is about one model file.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --certify iris.csv -o m.hsp >said 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
question 'It has the SHA-256 of the file as it was written'
if command -v sha256sum >/dev/null; then
    [ "$(sha256sum <m.hsp | cut -c1-64)" = "$(sed -n 's/.*"model": {"sha256": "\(.*\)"}.*/\1/p' m.hsp.cert)" ] && echo same
else
    echo same
fi
question 'certify makes the same certificate from the model file'
halfspace certify -q iris.csv --model m.hsp -o m.cert | grep '^model' | sed 's/[0-9a-f]\{64\}/.../'
cmp m.cert m.hsp.cert && echo 'the same certificate'
halfspace verify --model m.hsp m.cert iris.csv >/dev/null; echo "exit $?"
question 'verify rejects another model; without --model it says that nothing was compared'
halfspace train perceptron -q --positive setosa --order shuffle iris.csv -o other.hsp >/dev/null
halfspace verify --model other.hsp m.cert iris.csv 2>&1 >/dev/null; echo "exit $?"
halfspace verify m.cert iris.csv | grep 'no model file'
halfspace verify --model none.hsp m.cert iris.csv 2>&1; echo "exit $?"
halfspace verify --model m.hsp m.cert iris.csv --json | grep -E '"(model|holds)"'
question 'A certificate made without a model has no hash'
halfspace certify -q --positive setosa iris.csv -o rows.cert >/dev/null
grep -c '"model"' rows.cert
halfspace verify --model m.hsp rows.cert iris.csv 2>&1 | tail -n 1
question 'A learner that has no claim of its own'
halfspace train logistic -q --positive setosa iris.csv -o log.hsp >/dev/null
halfspace certify -q iris.csv --model log.hsp | grep 'not claimed'
