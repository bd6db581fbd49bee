# The traced norm leaves out the rows that a budget drops.
halfspace make moons -q --rows 60 --spread 0.1 --seed 4 -o moons.svm
halfspace train perceptron -q --kernel 'rbf(4)' --budget 2 --offset none --passes 1 --trace t.csv moons.svm -o m.hsp >/dev/null 2>&1
awk -F , 'NR > 1 && $5 > 2 { print "too long" } END { print (NR > 2 ? "kept short" : "nothing") }' t.csv
