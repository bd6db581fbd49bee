# A threshold on the probability of the positive class decides the class.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard --calibrate platt iris.csv -o platt.hsp >/dev/null 2>&1
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard iris.csv -o plain.hsp >/dev/null 2>&1
question 'In predict and in eval'
for threshold in 0.1 0.5 0.9; do
    halfspace predict -q platt.hsp iris.csv --threshold $threshold --probability >p
    awk -v FS='\t' -v t=$threshold '{ bad += ($1 == "virginica") != ($3 > t); n += $1 == "virginica" } END { print bad + 0, "wrong,", n, "virginica" }' p
    halfspace eval -q platt.hsp iris.csv --threshold $threshold | awk '/Confusion/ { matrix = 1 } matrix && /^  v/ { print $1, $2, $3 }'
done
question 'With a link'
halfspace predict -q plain.hsp iris.csv --link logistic --threshold 0.001 | sort | uniq -c | sed 's/^ *//'
question 'Refused: no probabilities to predict with, a threshold of 0, three classes; eval takes a threshold on the score'
halfspace train perceptron -q --multiclass ovo --average average --calibrate isotonic iris.csv -o m.hsp >/dev/null 2>&1
halfspace predict -q plain.hsp iris.csv --threshold 0.2
halfspace eval -q plain.hsp iris.csv --threshold 0.2 | sed -n 2p
halfspace eval -q platt.hsp iris.csv --threshold 0
halfspace eval -q m.hsp iris.csv --threshold 0.2
