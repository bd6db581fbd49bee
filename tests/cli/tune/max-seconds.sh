# --max-seconds limits the whole search; --run-seconds each run.
halfspace make xor --rows 500 -q -o x.svm
halfspace tune perceptron -q --tune passes=1,2,1000000000000 --max-seconds 1 --threads 1 --folds 2 x.svm -o m.hsp >out 2>err; echo "exit $?"
grep -e 'ended the search' err
grep -c 'not finished' out
question 'No fold is finished'
halfspace tune perceptron -q --tune rate=1,2 --passes 1000000000000 --max-seconds 0.3 --threads 1 x.svm 2>&1; echo "exit $?"
halfspace cv perceptron -q --passes 1000000000000 --max-seconds 0.3 x.svm 2>&1; echo "exit $?"
question 'Each run'
halfspace cv perceptron -q --passes 1000000000000 --run-seconds 0.05 --folds 2 x.svm 2>/dev/null | grep -c -e 'in 0 of 2 folds' -e ' seconds$'
