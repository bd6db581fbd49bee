# Neither the number of threads nor the instruction set changes a byte of a result.
set -e
# same COMMAND ...: its output with --threads 1, 2 and 7 is one, and it is not empty.
same()
{
    for t in 1 2 7; do
        "$@" --threads $t >out.$t
        cmp out.1 out.$t
    done
    [ -s out.1 ]
    echo "$2: the same"
}
question 'The number of threads'
same halfspace make halfspace --rows 20000 --features 10 -q
mv out.1 a.svm
same halfspace convert -q a.svm - --to csv
same halfspace inspect a.svm
mv out.1 any
question 'The instruction set'
HSP_SIMD=scalar same halfspace inspect a.svm
cmp any out.1
question 'Threads that share a small cache, in one-vs-one'
head -1 "$EXAMPLES/iris.csv" >many.csv
for i in 1 2 3 4 5 6 7 8 9; do tail -n +2 "$EXAMPLES/iris.csv"; done >>many.csv
for t in 1 2 7; do
    halfspace train svm -q --kernel 'rbf(0.5)' --multiclass ovo --C 10 --cache-mb 1 --threads $t many.csv -o m.hsp >/dev/null
    halfspace model show m.hsp >shown.$t
    cmp shown.1 shown.$t
done
echo "one-vs-one with a small cache: the same"
