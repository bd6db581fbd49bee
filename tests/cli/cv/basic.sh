# The same folds, whatever the threads and the learner; the same figures for people and machines.
cp "$EXAMPLES/iris.csv" .
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 1 iris.csv 2>&1
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 3 iris.csv >three 2>/dev/null
halfspace cv perceptron -q --classes versicolor,virginica --average average --passes 50 --threads 1 iris.csv 2>/dev/null |
    cmp - three && echo same
halfspace cv svm -q --json --folds 3 --fold-seed 7 --scale standard iris.csv |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/; s/("threads": )[0-9]+/\1N/'
# What is said of few rows, and what is refused.
printf 'a 1:1\na 1:2\nb 1:3\nb 1:4\na 1:1.5\na 1:0\n' >few.svm
halfspace cv svm -q --folds 4 few.svm 2>&1 | grep -v '^  [0-9]'
printf 'a 1:1\na 1:2\nb 1:3\n' >one.svm
halfspace cv svm -q --folds 2 one.svm 2>&1; echo "exit $?"
halfspace cv svm -q --folds 7 few.svm 2>&1; echo "exit $?"
halfspace cv svm -q --folds 1 few.svm 2>&1; echo "exit $?"
halfspace cv perceptron -q --trace t.csv few.svm 2>&1; echo "exit $?"
halfspace cv svm -q --warm-start few.svm few.svm 2>&1; echo "exit $?"
# No separator is an answer, not a run that was cut short.
halfspace make xor --rows 40 --seed 1 -q -o x.svm
halfspace cv svm -q --hard --folds 2 x.svm 2>&1
halfspace cv svm -q --hard --folds 2 --json x.svm 2>/dev/null | grep -e unconverged -e inseparable
# What is wrong with the rows that one fold leaves.
printf 'x,w,label\n1,1,a\n2,1,a\n3,0,b\n4,1,b\n5,1,a\n6,1,a\n' >weights.csv
halfspace cv svm -q --folds 2 --row-weight w weights.csv 2>&1; echo "exit $?"
ls -A
