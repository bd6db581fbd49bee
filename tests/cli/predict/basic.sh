# One line a row: the class, and the scores or the distance when asked for.
halfspace train perceptron -q --positive setosa --passes until-converged "$EXAMPLES/iris.csv" -o setosa.hsp >/dev/null
halfspace predict -q setosa.hsp "$EXAMPLES/iris.csv" | uniq -c
halfspace predict -q setosa.hsp "$EXAMPLES/iris.csv" --scores | sed -n '1p;51p'
halfspace predict -q setosa.hsp "$EXAMPLES/iris.csv" --distance | sed -n '1p;51p'
halfspace predict setosa.hsp - -o out.txt <"$EXAMPLES/iris.csv" 2>&1 | tail -n 1
halfspace predict -q setosa.hsp "$EXAMPLES/iris.csv" | cmp - out.txt
question 'Rows without labels, and rows in another format'
cut -d, -f1-4 "$EXAMPLES/iris.csv" >bare.csv
halfspace predict -q setosa.hsp bare.csv | cmp - out.txt
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
cut -d ' ' -f 2- iris.svm >bare.svm
halfspace predict -q setosa.hsp bare.svm | cmp - out.txt
printf '1:5 0:1\n' | halfspace predict -q setosa.hsp - --format libsvm 2>&1
printf '0:5 2:1\n' | halfspace predict -q setosa.hsp - --format libsvm --index-base 1 2>&1
printf '2:5 2:1\n' | halfspace predict -q setosa.hsp - --format libsvm 2>&1
halfspace eval -q setosa.hsp bare.svm 2>&1
halfspace convert -q "$EXAMPLES/iris.csv" iris.hsp
halfspace predict -q setosa.hsp iris.hsp | cmp - out.txt
question 'Three classes have three scores'
halfspace train perceptron -q "$EXAMPLES/iris.csv" -o three.hsp >/dev/null 2>&1
halfspace predict -q three.hsp iris.hsp --scores | head -n 1 | wc -w
halfspace predict --json -q setosa.hsp iris.hsp -o out.txt --threads 2 | sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
question 'The order of many rows is kept on any number of threads'
halfspace make halfspace --rows 1e5 -q -o many.svm
halfspace train perceptron -q --passes 1 many.svm -o many.hsp >/dev/null 2>&1
halfspace predict -q --threads 1 --scores many.hsp many.svm >one
halfspace predict -q --threads 8 --scores many.hsp many.svm | cmp - one
wc -l <one
