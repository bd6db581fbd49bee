# The model keeps the encoding of categories, so that predict reads the table itself.
cp "$EXAMPLES/weather.csv" .
halfspace train perceptron -q --missing mean --scale standard --passes until-converged weather.csv -o m.hsp
halfspace predict -q m.hsp weather.csv | uniq -c
question 'A category that training never saw becomes zeros, with a warning'
head -n 1 weather.csv | sed 's/,play//' >new.csv
echo 'hail,cold,70,no' >>new.csv
halfspace predict -q m.hsp new.csv 2>&1 >out
wc -l <out
question 'Columns in another order'
awk -F, -v OFS=, '{ print $5, $4, $3, $2, $1 }' weather.csv >turned.csv
halfspace predict -q m.hsp weather.csv >one
halfspace predict -q m.hsp turned.csv | cmp - one && echo same
halfspace eval -q m.hsp turned.csv | sed -n 3p
