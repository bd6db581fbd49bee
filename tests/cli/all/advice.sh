# Advice names options that the command has, or says whose they are.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
# A stream with categories: train has no option for it, and none is named.
printf 'c,x,y\nr,1,p\ng,2,q\n' | halfspace train perceptron --passes 1 -
printf 'c,x,y\nr,1,p\ng,,q\n' | halfspace train perceptron --passes 1 --missing mean --ignore c -
# predict reads as the model's encoding says: --categorical has no say there.
halfspace train perceptron -q iris.csv -o m.hsp >/dev/null
printf 'sepal_length,sepal_width,petal_length,petal_width\n1,2,3,many\n' >bad.csv
halfspace predict m.hsp bad.csv
# A model that no mistake bound is about does not ask for a reference.
halfspace train logistic -q iris.csv --positive setosa -o l.hsp >/dev/null
halfspace audit l.hsp iris.csv
# An option of another command, in a sentence that does not say so, and as typed.
halfspace predict --calibrate platt m.hsp iris.csv
halfspace eval -q m.hsp iris.csv --threshold 0.5
halfspace train svm -q --storage ones iris.csv
halfspace kernel gram 'linear' iris.csv --hard
true
