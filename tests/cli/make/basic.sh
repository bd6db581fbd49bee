# Rows to standard output, the truth to standard error, to a file, or as JSON.
halfspace make separable --rows 3 --features 2 --margin 0.2 --seed 7
halfspace make separable --rows 3 --features 2 --margin 0.2 --seed 7 -q | cksum >one
halfspace make separable --rows 3 --features 2 --margin 0.2 --seed 7 -q -o a.svm --truth t.json
cksum <a.svm | cmp - one
cat t.json
halfspace make xor --rows 4 -o x.svm --json --threads 2 |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
halfspace make xor --rows 1e3 -q | wc -l
