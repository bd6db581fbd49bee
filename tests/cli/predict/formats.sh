# The same predictions as CSV, TSV, JSON, libsvm lines and plain lines.
printf 'id,x,"y, z",label\n1,0.5,1,yes\n"a ""b"", c",-1,2,no\n3,2,0.5,yes\n4,-2,-1,no\n"two\nlines",1,0,yes\n' >t.csv
halfspace train logistic -q t.csv --ignore id -o m.hsp >/dev/null
for format in csv tsv json libsvm plain; do
    question "$format"
    halfspace predict -q m.hsp t.csv --output-format $format
done
question 'Columns of the file: their names and cells as they were; a name that is taken is changed'
halfspace predict -q m.hsp t.csv --output-format csv --keep id,label --threshold 0.9
question 'In the order asked for, by name or number'
halfspace predict -q m.hsp t.csv --output-format json --keep 3 --keep id | tail -n 2
question 'Only what is asked for'
halfspace predict -q m.hsp t.csv --output-format csv --scores --distance | head -n 2
question 'svm-predict -b 1'
halfspace predict -q m.hsp t.csv --output-format libsvm --probability | head -n 2
question 'Three classes'
halfspace train svm -q "$EXAMPLES/iris.csv" -o i.hsp >/dev/null
halfspace predict -q i.hsp "$EXAMPLES/iris.csv" --output-format csv | head -n 2
halfspace predict -q i.hsp "$EXAMPLES/iris.csv" --output-format json | head -n 1
