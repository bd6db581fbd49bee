cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o setosa.hsp >/dev/null
halfspace plot -q setosa.hsp iris.csv --x petal_length --y petal_width
halfspace train perceptron -q --order shuffle --average average iris.csv -o three.hsp >/dev/null 2>&1
halfspace plot -q three.hsp iris.csv --x 3 --y 4 --width 40 --height 12
halfspace train perceptron -q --order shuffle --classes versicolor,virginica iris.csv -o two.hsp >/dev/null 2>&1
halfspace plot -q two.hsp iris.csv --x 3 --y 4 --width 40 --height 12 | tail -n 2
# A boundary worked by hand: w = 2, b = -1 on the first column, so it stands at 0.5. Sparse rows, names
# that begin with the same letter, several classes in one place.
printf 'ab 1:1\nac 2:1\nac 1:-1\nab 1:0.9 2:0.3\nac 1:1\n' >a.svm
printf 'ac 1:0\nab 1:1\n' | halfspace train perceptron -q --features 2 --passes until-converged --classes ac,ab - -o a.hsp >/dev/null
halfspace model show a.hsp | tail -n 3
halfspace plot -q a.hsp a.svm --x 1 --y 2 --width 20 --height 8
halfspace plot -q a.hsp a.svm --x 1 --y 2 --width 10 --height 5 --json
for options in '--x 1' '--x 1 --y 1' '--x 1 --y 3' '--x 1 --y zebra'; do
    halfspace plot -q a.hsp a.svm $options
    echo "exit $?"
done 2>&1
