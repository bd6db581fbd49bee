# Worked by hand: w = 2, b = 0 after two updates; the scores are 4, 1, -2 and -4.
printf -- '+1 1:1\n-1 1:-1\n' >a.svm
halfspace train perceptron -q --passes until-converged a.svm -o m.hsp
printf '+1 1:2\n-1 1:0.5\n-1 1:-1\n+1 1:-2\n' >b.svm
halfspace eval -q m.hsp b.svm --json --threads 2 | sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
halfspace train perceptron -q --average vote a.svm -o v.hsp >/dev/null
halfspace eval -q v.hsp b.svm --json | grep null
