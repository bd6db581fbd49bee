# Ctrl-C while the model is written does not lose it.
echo '1 300000:1' >wide.svm
echo '2 1:1' >>wide.svm
mkfifo pipe
env --default-signal=INT halfspace train perceptron -q wide.svm -o - >pipe 2>/dev/null &
pid=$!
(sleep 0.5 && cat >whole.hsp) <pipe &
sleep 0.25
kill -INT $pid
wait $pid
echo "exit $?"
wait
halfspace predict -q whole.hsp wide.svm
