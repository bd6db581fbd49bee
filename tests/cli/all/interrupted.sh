# Ctrl-C while writing: status 130, the old file still there, no temporary one.
halfspace make separable --rows 3e5 -q -o a.svm
echo old >b.svm
stop()
{
    signal=$1
    shift
    env --default-signal=INT "$@" 2>err &
    sleep 0.4
    kill -"$signal" $!
    wait $!
    echo "exit $?: $(sed 's/ while [a-z ]*//' err)"
}
stop INT halfspace convert a.svm b.svm.xz --threads 1
stop TERM halfspace make separable --rows 1e8 -o b.svm
stop INT halfspace make text --rows 1e8 -o b.svm
cat b.svm
ls -A
