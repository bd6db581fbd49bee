# --cache DIR keeps a binary copy of the text.
mkdir copies
changed() { sleep 0.2; } # a file that changed just now is not copied
copies() { ls copies | sed 's/-[0-9a-f]*\.hsp/-....hsp/'; }
cp "$EXAMPLES/weather.csv" rows.csv
train() { halfspace train logistic rows.csv --missing mean --cache copies "$@" -o model.hsp 2>&1 >/dev/null | grep -v wrote; }
halfspace train logistic rows.csv --missing mean -q -o plain.hsp >/dev/null
question 'The first run makes a copy, the second one uses it: messages and model are the same'
changed
train
copies
before=$(ls -i copies)
train
[ "$before" = "$(ls -i copies)" ] && echo 'the same file'
cmp plain.hsp model.hsp
question 'Another option of reading, another copy'
train --label 1 --positive sunny >/dev/null
copies
question 'The text changes: the copy is replaced'
sed 's/85/86/' rows.csv >new.csv
mv new.csv rows.csv
changed
train
copies
[ "$before" = "$(ls -i copies)" ] || echo 'another file'
halfspace train logistic rows.csv --missing mean -q -o plain.hsp >/dev/null
cmp plain.hsp model.hsp
question 'The same length and the same time of change: the copy does not fit either'
touch -r rows.csv time
sed 's/86/87/' rows.csv >new.csv
cat new.csv >rows.csv
touch -r time rows.csv
changed
train -q
halfspace train logistic rows.csv --missing mean -q -o plain.hsp >/dev/null
cmp plain.hsp model.hsp
question 'Damaged or cut short: the text is read again'
for copy in copies/*; do
    printf 'XXXX' | dd of="$copy" bs=1 seek=$(($(wc -c <"$copy") - 9)) conv=notrunc 2>/dev/null
done
train -q | sed 's/-[0-9a-f]*\.hsp/-....hsp/'
cmp plain.hsp model.hsp
for copy in copies/*; do
    head -c 300 "$copy" >cut && cat cut >"$copy"
done
train -q | sed 's/-[0-9a-f]*\.hsp/-....hsp/'
cmp plain.hsp model.hsp
question 'Changed just now: no copy'
i=0
while [ $i -lt 20 ]; do # a busy machine may take so long to begin that the change is an old one
    rm -f copies/*
    touch rows.csv
    train >notes
    grep -q 'no binary copy' notes && break
    i=$((i + 1))
done
cat notes
copies
question 'Removed on request'
changed
train --cache-remove -q
copies
question 'A folder that is not there'
halfspace train logistic rows.csv --cache nowhere 2>&1
echo "exit $?"
question 'kill -9: a copy is whole or not there'
halfspace make halfspace --rows 20000 --features 20 -q -o rows.csv
changed
halfspace train perceptron rows.csv -q -o plain.hsp >/dev/null 2>&1
wrong=0 i=0
while [ $i -lt 15 ]; do
    rm -f copies/*.hsp
    halfspace train perceptron rows.csv --cache copies -q >/dev/null 2>&1 &
    sleep 0.0$(((i * 37 + $$) % 70 + 10))
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    halfspace train perceptron rows.csv --cache copies -q -o model.hsp >/dev/null 2>err
    grep -q damaged err && wrong=$((wrong + 1))
    cmp -s plain.hsp model.hsp || wrong=$((wrong + 1))
    i=$((i + 1))
done
echo "$wrong wrong"
