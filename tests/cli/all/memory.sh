# --memory SIZE: the same bits in less memory.
[ -z "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || {
    echo 'sanitizers need memory and minutes of their own; base/test_paging runs with them'
    exit 77
}
size='--memory 32M --threads 2'
# limited COMMAND...: runs within the limit, and says whether the kernel saw it exceeded by more than 64 MB.
limited()
{
    halfspace "$@" $size -q --json >report 2>/dev/null
    echo "exit $?"
    peak=$(sed -n 's/.*"peak_rss_bytes": \([0-9]*\).*/\1/p' report)
    [ "${peak:-0}" -gt 1000000 ] || echo "no peak is reported"
    [ "${peak:-0}" -lt $(((32 + 64) << 20)) ] || echo "$1 $2: $peak bytes"
}
halfspace make halfspace --rows 200000 --features 100 --noise 0.05 -q -o rows.csv
halfspace make text --rows 100000 --features 20000 -q -o text.svm
halfspace make disjunction --rows 300000 --features 200 -q -o bits.svm
question 'Training: the model is the same, byte for byte'
for run in 'perceptron rows.csv' 'logistic rows.csv' 'svm rows.csv' 'svm --loss squared rows.csv' \
    'logistic --scale standard rows.csv' 'perceptron text.svm' 'svm --solver newton text.svm' 'winnow bits.svm' \
    'svm --solver pegasos --order cyclic --max-passes 2 rows.csv'; do
    echo "$run"
    halfspace train $run -q -o whole.hsp >/dev/null 2>&1
    limited train $run -o limited.hsp
    cmp whole.hsp limited.hsp
done
question 'Dual coordinate descent visits rows in another order, and reaches the gap'
limited train svm --solver dcd text.svm -o limited.hsp
grep -E '"(converged|solver)"' report
question 'Other commands'
halfspace train logistic rows.csv -q -o model.hsp >/dev/null
for run in 'eval model.hsp rows.csv' 'predict model.hsp rows.csv -o out.csv' 'convert rows.csv out.hsp' \
    'split rows.csv a.csv b.csv' 'scale rows.csv scaled.hsp' 'cv logistic rows.csv --folds 3'; do
    echo "$run"
    limited $run
done
halfspace convert rows.csv whole.hsp -q
cmp whole.hsp out.hsp
halfspace scale rows.csv whole.hsp -q >/dev/null
cmp whole.hsp scaled.hsp
halfspace predict model.hsp rows.csv -q -o whole.csv >/dev/null
cmp whole.csv out.csv
question 'From the binary file'
limited train logistic out.hsp -o limited.hsp
cmp model.hsp limited.hsp
question 'Nothing is left in the folder of temporary files'
mkdir tmp
TMPDIR=$PWD/tmp halfspace train perceptron rows.csv $size -q >/dev/null 2>&1
TMPDIR=$PWD/tmp halfspace train logistic rows.csv $size -q >/dev/null 2>&1 &
sleep 0.1
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
ls -A tmp
