# Labels and values that differ only in case are one, and the model reads them so.
printf 'size,answer\nsmall,yes\nSmall,Yes\nBIG,no\nbig,NO\n' >answers.csv
halfspace train perceptron -q answers.csv --ignore-case -o m.hsp | head -n 1
printf 'size,answer\nSMALL,YES\nBig,no\n' >new.csv
halfspace eval -q m.hsp new.csv | grep mistakes
halfspace predict -q m.hsp new.csv
halfspace train perceptron -q answers.csv -o m.hsp | head -n 1
halfspace certify -q answers.csv --ignore-case 2>&1
