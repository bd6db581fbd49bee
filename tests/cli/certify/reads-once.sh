# certify opens the data file once; the checker, which is another reader, opens it a second time
# (a compressed one twice: to see that it is packed, and to unpack it).
command -v strace > /dev/null || { echo 'strace is not here'; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
opens() {
    file=$1
    shift
    strace -f -e trace=open,openat -o trace halfspace certify -q "$@" > out 2> err || { cat err; return; }
    grep -c "/$file\"" trace
}
strace -o trace true 2> /dev/null || { echo 'strace may not trace here'; exit 77; }

halfspace make halfspace --rows 200 --features 3 --noise 0.1 -o here.svm -q > /dev/null
halfspace make halfspace --rows 50 --features 3 --noise 0.1 --seed 2 -o new.svm -q > /dev/null
halfspace train perceptron here.svm --order shuffle --passes 2 -o here.hsp -q > /dev/null 2>&1
halfspace train svm here.svm --keep-dual -o svm.hsp -q > /dev/null
cp "$EXAMPLES"/iris.csv iris.csv
gzip -c here.svm > packed.svm.gz
printf '1 1:0.10000000000000001\n-1 1:-0.30000000000000004\n' > long.svm

echo "libsvm: $(opens here.svm ./here.svm)"
echo "CSV: $(opens iris.csv ./iris.csv --positive setosa)"
echo "CSV, rows left out: $(opens iris.csv ./iris.csv --classes setosa,virginica)"
echo "compressed: $(opens packed.svm.gz ./packed.svm.gz)"
echo "long decimals: $(opens long.svm ./long.svm)"
echo "a run made again: $(opens here.svm ./here.svm --model here.hsp --claim mistakes)"
echo "a model and test rows: $(opens here.svm ./here.svm --model svm.hsp --test ./new.svm)"
echo "the test rows: $(opens new.svm ./here.svm --model svm.hsp --test ./new.svm)"
