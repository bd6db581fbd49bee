# A stream, from a pipe or a file, gives the weights of one pass over the whole file.
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
question 'Two classes'
file=a.svm
same a.svm
same a.svm --average average
same a.svm --offset append --constant 3 --classes 1,-1 --tie pos --threads 1
question 'Three classes'
file=$EXAMPLES/iris.csv
halfspace convert -q "$file" iris.svm
file=iris.svm
same iris.svm --classes setosa,versicolor,virginica
same iris.svm --classes setosa,versicolor,virginica --multiclass ovr
cat piped
question 'A compressed file'
halfspace convert -q a.svm a.svm.gz && halfspace train perceptron -q --stream a.svm.gz
