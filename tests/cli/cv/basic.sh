# Cross-validation: the error of each fold, and of all.
cp "$EXAMPLES/iris.csv" .
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 1 iris.csv 2>&1
question 'The number of threads changes nothing'
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 3 iris.csv >three 2>/dev/null
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 1 iris.csv 2>/dev/null |
    cmp - three && echo same
question 'The report as JSON'
halfspace cv svm -q --json --folds 3 --fold-seed 7 --scale standard iris.csv |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/; s/("threads": )[0-9]+/\1N/'
question 'No file is written'
ls -A
