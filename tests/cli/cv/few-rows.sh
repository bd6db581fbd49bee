# Folds with few rows.
question 'A class with fewer rows than folds: a warning'
printf 'a 1:1\na 1:2\nb 1:3\nb 1:4\na 1:1.5\na 1:0\n' >few.svm
halfspace cv svm -q --folds 4 few.svm 2>&1 | grep -v '^  [0-9]'
question 'A class with one row, more folds than rows, fewer than two folds: refused'
printf 'a 1:1\na 1:2\nb 1:3\n' >one.svm
halfspace cv svm -q --folds 2 one.svm 2>&1; echo "exit $?"
halfspace cv svm -q --folds 7 few.svm 2>&1; echo "exit $?"
halfspace cv svm -q --folds 1 few.svm 2>&1; echo "exit $?"
