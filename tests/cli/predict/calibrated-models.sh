# A calibrated model decides by its probabilities, not by the sign of its score.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard --calibrate platt iris.csv -o platt.hsp >/dev/null 2>&1
halfspace train perceptron -q --classes versicolor,virginica --average average --passes 20 --scale standard --calibrate isotonic iris.csv -o isotonic.hsp >/dev/null 2>&1
question 'bound and certify make no statement about the sign'
halfspace bound -q platt.hsp --train iris.csv | grep -c 'the model decides by its probabilities'
halfspace certify -q --model platt.hsp --claim error --test iris.csv iris.csv
question 'export: a model of LIBSVM has the parameters of Platt, one of LIBLINEAR has scores only, with a warning'
halfspace model export platt.hsp --format libsvm -o platt.libsvm
sed -n 's/^\(prob[AB]\) \(-*[0-9]*\.[0-9]\{4\}\).*/\1 \2/p' platt.libsvm
halfspace model export isotonic.hsp --format liblinear -o isotonic.liblinear
