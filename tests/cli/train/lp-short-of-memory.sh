# Short of memory, training with CLP ends with an answer or with the reason (sanitizers need more memory themselves).
case $(halfspace train lp "$EXAMPLES/iris.csv" --positive setosa 2>&1) in
*'no linear programming'*) echo 'built without CLP'; exit 77 ;;
esac
(ulimit -v 30000 && halfspace --version) >/dev/null 2>&1 || { echo 'no room for the command itself' && exit 77; }
ended=0
for kilobytes in 20000 40000 60000 80000 100000 160000; do
    (ulimit -v $kilobytes && timeout -s KILL 30 halfspace train lp -q "$EXAMPLES/iris.csv" --positive setosa >out 2>&1)
    status=$?
    case "$status $(grep "training error" out || tail -n 1 out)" in
    0*'training error'* | 4*'out of memory'*) ended=$((ended + 1)) ;;
    *) echo "$kilobytes kB: status $status: $(tail -n 1 out)" ;;
    esac
done
echo "$ended of 6 runs ended with an answer or the reason"
