# Ctrl-C while points are tried: status 130, and no model is written.
halfspace make xor --rows 500 -q -o x.svm
env --default-signal=INT halfspace tune perceptron --passes 1e12 --tune rate=1,2 --threads 2 x.svm -o m.hsp >out 2>err &
sleep 0.4
kill -INT $!
wait $!
echo "exit $?: $(tail -n 1 err)"
ls -A
