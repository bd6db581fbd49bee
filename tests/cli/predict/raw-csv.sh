# How words became numbers travels in the model; a word never seen becomes zeros, with a warning.
cp "$EXAMPLES/weather.csv" .
halfspace train perceptron -q --missing mean --scale standard --passes until-converged weather.csv -o m.hsp
halfspace predict -q m.hsp weather.csv | uniq -c
head -n 1 weather.csv | sed 's/,play//' >new.csv
echo 'hail,cold,70,no' >>new.csv
halfspace predict -q m.hsp new.csv 2>&1 >out
wc -l <out
# The columns may stand in another order.
awk -F, -v OFS=, '{ print $5, $4, $3, $2, $1 }' weather.csv >turned.csv
halfspace predict -q m.hsp weather.csv >one
halfspace predict -q m.hsp turned.csv | cmp - one && echo same
halfspace eval -q m.hsp turned.csv | sed -n 3p
