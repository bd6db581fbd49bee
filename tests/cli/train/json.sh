# The report of training as JSON, from a file and from a stream.
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron --json -q --threads 2 --classes versicolor,virginica --passes 3 iris.csv -o m.hsp 2>/dev/null |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
halfspace train perceptron --json -q --passes 1 - <iris.csv | grep -E '"(training_error|converged|stop|model)"'
