# --trace writes one line per update, with the total of the weights and its bound.
halfspace make disjunction --rows 2000 --features 500 --relevant 4 --seed 3 -q -o d.svm
halfspace train winnow -q --passes until-converged --trace t.csv d.svm >/dev/null
head -3 t.csv
awk -F, 'NR > 1 && $7 > $8 {bad = 1} END {print bad ? "exceeded" : "below"}' t.csv
