# Work is limited; --effort allows more. Seven passes of 2,000,000 experts over four rows are more than the default.
printf '1 1:1\n-1 1:0\n1 1:1\n-1 1:0\n' >rows.svm
cat >experts.cert <<'END'
{"format": "halfspace certificate", "version": 2,
 "data": {"file": "rows.svm", "sha256": "8e89584aa3f13e9e8e33e3d0025b1dd5563a5fed31dc628d1ebc1d5b9ff5487f", "rows": 4, "columns": 1000000, "format": "libsvm", "index_base": 1, "negative": ["-1"], "positive": ["1"]},
 "claims": [{"claim": "mistakes", "learner": "experts", "beta": "1/2", "negated": true, "tie": "negative", "passes": 7, "total": 99,
             "best": {"column": 1, "negated": false, "mistakes": "0"}}]}
END
halfspace verify experts.cert rows.svm >said 2>&1; status=$?
grep -q 'without GMP' said && echo 'built without GMP' && exit 77
cat said; echo "exit $status"
halfspace verify --effort 2 experts.cert rows.svm 2>&1; echo "exit $?"
halfspace verify --effort 0 experts.cert rows.svm 2>&1; echo "exit $?"
