# Results to standard output, talk to standard error; -q leaves no talk.
printf 'a,b,kind\n1,0.1,yes\n2,-3e-5,no\n' >small.csv
halfspace convert small.csv -
halfspace convert -q small.csv - --to csv
halfspace convert -q - - --to tsv <small.csv
halfspace convert -q --label kind --ignore b small.csv - --to=libsvm
