# The first Ctrl-C ends the training and keeps the model; the status is 130.
halfspace make xor --rows 500 -q -o x.svm
input=/dev/null
stop()
{
    env --default-signal=INT halfspace train perceptron "$@" >out 2>err <"$input" &
    sleep 0.4
    kill -INT $!
    wait $!
    echo "exit $?: $(tail -n 1 err | sed -E 's/[0-9,]+ updates?/N updates/')"
}
question 'With and without a model to write, and with --json'
stop --passes 1e12 x.svm -o batch.hsp
stop --passes 1e12 x.svm
halfspace model show --json batch.hsp | grep -c '"stop": "request"'
stop --passes 1e12 --json x.svm
grep '"stop"' out
question 'While votes are kept, which need the rows once more, and one-vs-rest on any thread'
# Few rows contradict each other, so that there are few updates.
awk 'BEGIN { for (i = 0; i < 50000; i++) print i % 3, i % 3 + 1 ":1"; print "1 1:1" }' >y.svm
stop --passes 1e12 --average vote --positive 1 y.svm -o vote.hsp
halfspace model show --json vote.hsp | grep -c '"stop": "request"'
stop --passes 1e12 --multiclass ovr --threads 4 y.svm -o ovr.hsp
halfspace model show --json ovr.hsp | grep -c '"stop": "request"'
question 'While a stream is read: with the rows that came, but for one that is cut off'
mkfifo pipe
(while cat x.svm; do sleep 0.05; done) >pipe 2>/dev/null &
input=pipe
stop --passes 1 - -o stream.hsp
wait
halfspace eval stream.hsp x.svm | sed -n 2p
(printf 'x,class\n1,a\n2,b\n3,'; exec sleep 20) >pipe &
stop --stream - -o short.hsp
kill $!
grep -o 'standard input: 2 rows' out
wait
(printf '1 1:1\n1 '; exec sleep 20) >pipe &
stop --stream -
kill $!
wait
rm pipe
question 'No temporary files are left'
ls -A
