# Ctrl-C while points are tried: status 130. Without a finished fold there is no model.
halfspace make xor --rows 500 -q -o x.svm
env --default-signal=INT halfspace tune perceptron --passes 1e12 --tune rate=1,2 --threads 2 x.svm -o m.hsp >out 2>err &
sleep 0.4
kill -INT $!
wait $!
echo "exit $?: $(tail -n 1 err)"
ls -A
question 'With finished folds, the table is printed, and the model of the best point so far is kept'
env --default-signal=INT halfspace tune perceptron -q --tune passes=1,2,1000000000000 --threads 1 --folds 2 x.svm -o m.hsp >out 2>err &
sleep 1.5
kill -INT $!
wait $!
echo "exit $?: $(tail -n 1 err)"
grep -c 'not finished' out
halfspace model show --json m.hsp | grep -c '"tuning"'
