# Ctrl-C during cross-validation: status 130.
halfspace make xor --rows 500 -q -o x.svm
env --default-signal=INT halfspace cv perceptron --passes 1e12 --threads 2 x.svm >out 2>err &
sleep 0.4
kill -INT $!
wait $!
echo "exit $?: $(tail -n 1 err)"
