# Bytes that are no text reach no terminal: not in tables, not in messages.
printf 'x,y\n1,caf\351\n2,th\350\n3,caf\351\n4,th\350\n' >latin.csv
halfspace train svm -q latin.csv | sed -n 1p
halfspace train svm -q --positive caf latin.csv 2>&1
