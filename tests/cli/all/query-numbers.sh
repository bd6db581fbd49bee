# A query number (qid) of libsvm text is a number.
printf '1 qid:12 1:2\n-1 qid:x2:-100 1:3\n' >query.svm
halfspace convert -q query.svm query.hsp 2>&1
