# --on-error skip answers rows that cannot be read without a class, in their places, with the reason.
printf 'id,x,y,label\n1,1,2,yes\n2,-1,-2,no\n3,2,1,yes\n4,-3,1,no\n' >t.csv
halfspace train perceptron -q --passes until-converged t.csv --ignore id -o m.hsp >/dev/null
printf 'id,x,y\n1,2,1\n"a, b",abc,1\n3,1\n"4 ""q""",NA,2\n5,-1,2\n6,1,2,3\n' >new.csv
for format in csv json plain; do
    question $format
    keep=
    [ $format = plain ] || keep='--keep id'
    # shellcheck disable=SC2086 # words
    halfspace predict m.hsp new.csv --on-error skip --output-format $format $keep 2>err
    echo "status $?"
    tail -n 2 err
done
question 'The same for any size of blocks and number of threads'
i=0
while [ $i -lt 12 ]; do cat new.csv | tail -n 6; i=$((i + 1)); done >rows
for n in $(seq 40); do cat rows; done | cat new.csv - >many.csv
halfspace predict -q m.hsp many.csv --on-error skip --output-format csv --keep id --threads 1 2>/dev/null >one
halfspace predict -q m.hsp - --on-error skip --output-format csv --keep id --threads 3 2>/dev/null <many.csv >three
cmp one three && wc -l <one
question 'Without it, the first one ends the run'
halfspace predict -q m.hsp new.csv 2>&1 >/dev/null
