# SIGTERM ends a command with status 143: while it waits for a pipe, and while nobody reads what it writes.
halfspace make separable --rows 2e4 -q -o a.svm
halfspace train svm -q a.svm -o m.hsp >/dev/null
mkfifo in out
stop() # what was started last
{
    sleep 0.3
    kill -TERM $!
    wait $!
    echo "exit $?: $(cat err)"
}
sleep 20 >in &
one=$!
for command in 'predict m.hsp - -o b' 'predict m.hsp -' 'train svm - -o n.hsp' 'train perceptron --stream - -o n.hsp' \
    'convert - b.svm' 'eval m.hsp -' 'inspect -'; do
    echo "$command"
    # shellcheck disable=SC2086 # words
    halfspace $command <in 2>err &
    stop
done
kill $one
sleep 20 <out &
one=$!
for command in 'predict m.hsp a.svm --scores' 'convert a.svm -'; do
    echo "$command"
    # shellcheck disable=SC2086 # words
    halfspace $command -q >out 2>err &
    stop
done
kill $one
ls -A
