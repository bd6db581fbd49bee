# A support vector machine learned from a stream has the weights of one pass over the file.
halfspace make halfspace --rows 3000 --features 8 --noise 0.1 -q -o a.svm
weights() { halfspace model show --weights all --json "$1" | sed -n '/"scorers"/,$p'; }
same()
{
    halfspace train svm -q --solver pegasos --max-passes 1 --order cyclic "$@" "$file" -o whole.hsp >/dev/null 2>&1
    halfspace train svm -q --stream "$@" - <"$file" -o pipe.hsp >/dev/null || echo "exit $?"
    halfspace train svm -q --stream "$@" "$file" -o stream.hsp >/dev/null || echo "exit $?"
    weights whole.hsp >one && weights pipe.hsp | cmp - one && weights stream.hsp | cmp - one && echo "same: $*"
}
question 'Two classes'
file=a.svm
same --lambda 1e-3 --offset regularized
same --lambda 1e-3 --offset none --average none
question 'Three classes'
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
file=iris.svm
same --lambda 0.01 --offset regularized --classes setosa,versicolor,virginica
question 'The report, for people and as JSON'
halfspace train svm --stream --lambda 1e-3 a.svm -o m.hsp | sed 's/[0-9.]* s$/TIME/'
halfspace train svm --stream --lambda 1e-3 --json a.svm -o m.hsp -q | grep -E '"(stop|converged|passes|rows|solver|lambda|gap|objective)"'
