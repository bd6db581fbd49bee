# --checkpoint FILE: a training that was killed goes on, to the same bytes.
halfspace make halfspace --rows 4000 --features 30 --noise 0.1 -q -o a.svm
awk '{ $1 = NR % 5; print }' a.svm >five.svm
# Killed as soon as there is a checkpoint, and then at moments that differ from run to run.
same()
{
    rm -f state m.hsp plain.hsp
    halfspace train "$@" -q -o plain.hsp >/dev/null 2>&1
    i=0 wrong=
    while [ $i -lt 3 ] && [ ! -e m.hsp ]; do
        halfspace train "$@" -q --checkpoint state --every 0.02 -o m.hsp >/dev/null 2>&1 &
        while [ ! -e state ] && kill -0 $! 2>/dev/null; do sleep 0.001; done
        sleep 0.0$(((i * 37 + $$) % 50 + 10))
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        i=$((i + 1))
    done
    # the model is written first, and then the checkpoint is removed
    { [ -e m.hsp ] && [ ! -e state ]; } || halfspace train "$@" --checkpoint state -o m.hsp >/dev/null 2>err
    [ -e err ] && [ $i -eq 3 ] && ! grep -q 'goes on from state' err && wrong=', begun again'
    cmp plain.hsp m.hsp && [ ! -e state ] && echo "the same$wrong: $*"
    rm -f err
}
question 'Perceptron'
same perceptron --passes 500 a.svm
same perceptron --passes 200 --average average --order shuffle a.svm
same perceptron --passes 20 --average vote a.svm
same perceptron --passes 200 --soft 1 --tie pos a.svm
same perceptron --passes 200 --multiclass native five.svm
same perceptron --passes 100 --multiclass ovr --order shuffle five.svm
same perceptron --passes 100 --multiclass ovr --average average --threads 1 five.svm
same perceptron --passes 100 --multiclass ovo five.svm
same perceptron --passes 1 --order worst a.svm
question 'Winnow'
same winnow --scale min-max --passes 200 a.svm
same winnow --scale min-max --variant balanced --multiclass ovr --passes 20 five.svm
question 'Solvers, of one problem and of several'
same svm --solver dcd --gap 1e-7 --max-passes 3000 a.svm
same svm --solver pegasos --lambda 1e-4 --max-passes 300 a.svm
same svm --solver newton --gap 1e-9 a.svm
same svm --penalty l1 --loss squared --gap 1e-7 a.svm
same logistic --solver dcd --gap 1e-7 a.svm
same svm --multiclass ovr --gap 1e-6 five.svm
same svm --multiclass ovo --keep-dual --gap 1e-6 five.svm
same logistic --multiclass ovr --solver dcd --gap 1e-6 five.svm
same svm --solver dcd --gap 1e-7 --memory 64M --max-passes 200 a.svm
question 'On another number of threads'
halfspace train perceptron --passes 200 --multiclass ovr five.svm -q -o plain.hsp >/dev/null 2>&1
halfspace train perceptron --passes 200 --multiclass ovr five.svm --checkpoint state --every 0 --threads 4 -q \
    >/dev/null 2>&1 &
while [ ! -e state ] && kill -0 $! 2>/dev/null; do sleep 0.001; done
sleep 0.1
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
halfspace train perceptron --passes 200 --multiclass ovr five.svm --checkpoint state --threads 1 -q -o m.hsp \
    >/dev/null 2>&1
cmp plain.hsp m.hsp
question 'Stopped at the time limit: the file stays, and the run goes on without the limit'
for updates in 1e5 1e6 1e7 1e8; do # enough of them that this machine needs more time
    halfspace train perceptron --passes 1e9 --max-updates $updates a.svm --checkpoint state --every 0 --max-seconds 0.1 -q \
        >/dev/null 2>&1
    [ ! -e state ] || break
done
ls state
halfspace train perceptron --passes 1e9 --max-updates $updates a.svm -q -o plain.hsp >/dev/null 2>&1
halfspace train perceptron --passes 1e9 --max-updates $updates a.svm --checkpoint state -o m.hsp 2>&1 >/dev/null |
    grep note
cmp plain.hsp m.hsp
[ -e state ] || echo 'the file is removed'
question 'A file of another run, or a damaged one'
run() { halfspace train "$@" --checkpoint state 2>&1 >/dev/null | grep -v '^halfspace: warning'; }
stopped()
{
    rm -f state
    halfspace train perceptron --passes 1e9 --max-seconds 0.1 "$@" --checkpoint state --every 0 >/dev/null 2>&1
}
stopped a.svm
run perceptron --passes 1e8 a.svm
run perceptron --passes 1e9 five.svm
run perceptron --passes 1e9 --rate 2 a.svm
run winnow --passes 1e9 --scale min-max a.svm
cp state whole
cp state sound
head -c 200 whole >state && run perceptron --passes 1e9 a.svm
printf 'XXXX' | dd of=whole bs=1 seek=$(($(wc -c <whole) - 9)) conv=notrunc 2>/dev/null
cp whole state && run perceptron --passes 1e9 a.svm
question 'One byte of what the file says of its run'
for place in 100 300 500; do
    cp sound state
    printf '\125' | dd of=state bs=1 seek=$place conv=notrunc 2>/dev/null
    run perceptron --passes 1e9 a.svm
done
cp a.svm state && run perceptron --passes 1e9 a.svm
cp plain.hsp state && run perceptron --passes 1e9 a.svm
question 'Other weights to start at'
halfspace train perceptron a.svm -q -o first.hsp >/dev/null 2>&1
halfspace train perceptron --rate 2 a.svm -q -o second.hsp >/dev/null 2>&1
stopped --warm-start first.hsp a.svm
cp second.hsp first.hsp
run perceptron --passes 1e9 --warm-start first.hsp a.svm
question 'Refused'
rm state
run knn a.svm
run perceptron --kernel rbf a.svm
run svm --kernel rbf a.svm
run svm --multiclass crammer-singer five.svm
run logistic --multiclass softmax five.svm
run svm --convergence log.csv a.svm
run perceptron --trace t.csv a.svm
run perceptron --stream a.svm
halfspace train perceptron --every 1 a.svm 2>&1
halfspace train perceptron --checkpoint a.svm a.svm 2>&1
halfspace train perceptron --checkpoint m.hsp -o m.hsp a.svm 2>&1
halfspace train perceptron --checkpoint - a.svm 2>&1
mkdir folder && halfspace train perceptron --checkpoint folder a.svm 2>&1
[ -e state ] || echo 'no file is made'
question 'Another limit of memory, by which rows would be visited in another order'
rm -f state
halfspace make text --rows 40000 --features 100000 --nonzeros 60 --values tfidf -q -o wide.svm
for seconds in 0.3 3 30; do # a pass must have ended
    [ -e state ] || halfspace train svm --gap 1e-12 wide.svm --checkpoint state --every 0 --max-seconds $seconds >/dev/null 2>&1
done
halfspace train svm --gap 1e-12 wide.svm --checkpoint state --memory 32M 2>&1 >/dev/null | tail -1
