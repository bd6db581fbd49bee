# Advice names options that the command has, or says whose they are.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
question 'A stream with categories is told how to read them'
printf 'c,x,y\nr,1,p\ng,2,q\n' | halfspace train perceptron --passes 1 -
printf 'c,x,y\nr,1,p\ng,,q\n' | halfspace train perceptron --passes 1 --missing mean --ignore c -
question 'predict reads with the encoding of the model: --categorical is not advised'
halfspace train perceptron -q iris.csv -o m.hsp >/dev/null
printf 'sepal_length,sepal_width,petal_length,petal_width\n1,2,3,many\n' >bad.csv
halfspace predict m.hsp bad.csv
question 'A model without a mistake bound: audit does not ask for a reference'
halfspace train logistic -q iris.csv --positive setosa -o l.hsp >/dev/null
halfspace audit l.hsp iris.csv
question 'Options of other commands'
halfspace predict --calibrate platt m.hsp iris.csv
halfspace kernel gram 'linear' iris.csv --hard
question 'Values that do not fit the model or the data: no option is advised'
halfspace eval -q m.hsp iris.csv --threshold 0.5
halfspace train svm -q --storage ones iris.csv
true
