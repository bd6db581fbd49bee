# Bytes that are no text reach no terminal: not in tables, not in messages. A query number is a number.
printf 'x,y\n1,caf\351\n2,th\350\n3,caf\351\n4,th\350\n' >latin.csv
halfspace train svm -q latin.csv | sed -n 1p
halfspace train svm -q --positive caf latin.csv 2>&1
printf '1 qid:12 1:2\n-1 qid:x2:-100 1:3\n' >query.svm
halfspace inspect -q query.svm 2>&1
