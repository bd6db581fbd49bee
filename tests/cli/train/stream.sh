# A stream gives the weights that a file read whole gives, in one pass, from a pipe or a file.
halfspace make halfspace --rows 2000 --features 8 --noise 0.1 -q -o a.svm
weights() { halfspace model show --weights all --json "$1" | sed -n '/"scorers"/,$p'; }
same()
{
    halfspace train perceptron -q --passes 1 "$@" -o whole.hsp >/dev/null 2>&1 || echo "exit $?"
    shift
    halfspace train perceptron -q --passes 1 "$@" - <"$file" -o pipe.hsp >piped || echo "exit $?"
    halfspace train perceptron -q --stream "$@" "$file" -o stream.hsp >streamed || echo "exit $?"
    weights whole.hsp >one && weights pipe.hsp | cmp - one && weights stream.hsp | cmp - one && echo "same: $*"
}
file=a.svm
same a.svm
same a.svm --average average
same a.svm --offset append --constant 3 --classes 1,-1 --tie pos --threads 1
file=$EXAMPLES/iris.csv
halfspace convert -q "$file" iris.svm
file=iris.svm
same iris.svm --classes setosa,versicolor,virginica
same iris.svm --classes setosa,versicolor,virginica --multiclass ovr
cat piped
# gz on the way, and what a stream cannot do.
halfspace convert -q a.svm a.svm.gz && halfspace train perceptron -q --stream a.svm.gz
halfspace train perceptron --stream --passes 2 a.svm 2>&1
echo "exit $?"
halfspace train perceptron --stream --offset r2 a.svm 2>&1
echo "exit $?"
# With more passes standard input is held in memory.
halfspace train perceptron -q --passes 2 - <iris.svm 2>/dev/null | sed -n 2,3p
