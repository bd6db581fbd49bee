# A fold without a separator is an answer, not a run that was cut short.
halfspace make xor --rows 40 --seed 1 -q -o x.svm
halfspace cv svm -q --hard --folds 2 x.svm 2>&1
halfspace cv svm -q --hard --folds 2 --json x.svm 2>/dev/null | grep -e unconverged -e inseparable
