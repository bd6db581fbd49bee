# The first Ctrl-C ends the run and keeps what was learnt; the status is 130.
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
stop --passes 1e12 x.svm -o batch.hsp
stop --passes 1e12 x.svm
halfspace model show --json batch.hsp | grep -c '"stop": "request"'
stop --passes 1e12 --json x.svm
grep '"stop"' out
# A stream likewise, as soon as something more passes by.
mkfifo pipe
(while cat x.svm; do sleep 0.05; done) >pipe 2>/dev/null &
input=pipe
stop --passes 1 - -o stream.hsp
wait
halfspace eval stream.hsp x.svm | sed -n 2p
rm pipe
ls -A
