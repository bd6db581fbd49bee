# A binary cache is predicted as a file, compressed, and through a pipe alike.
halfspace convert -q "$EXAMPLES/iris.csv" iris.hsp
halfspace convert -q "$EXAMPLES/iris.csv" iris.hsp.gz || exit 77
halfspace train perceptron -q --positive setosa --passes until-converged iris.hsp.gz -o model.hsp >/dev/null
halfspace predict -q model.hsp iris.hsp >one
halfspace predict -q model.hsp iris.hsp.gz | cmp - one && echo compressed
halfspace predict -q model.hsp - <iris.hsp | cmp - one && echo piped
sort one | uniq -c | sed 's/^ *//'
