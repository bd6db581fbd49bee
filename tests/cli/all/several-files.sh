# Several data files are read one after the other, each with its header; errors name the file and its line.
printf 'x,y,class\n1,2,a\n5,1,b\n' >one.csv
printf 'x,y,class\n2,4,a\n6,1,b' >two.csv
printf 'y,x,class\n2,4,a\n' >turned.csv
printf 'x,y,class\n2,4,a\n3,oops,b\n' >bad.csv
gzip -k two.csv
tail -n +2 two.csv | cat one.csv - >all.csv
question 'files, compressed files and pipes are one data set'
halfspace convert -q all.csv all.svm
halfspace convert -q one.csv two.csv parts.svm && cmp all.svm parts.svm && echo same
halfspace convert -q one.csv two.csv.gz parts.svm && cmp all.svm parts.svm && echo same
halfspace convert -q one.csv - parts.svm <two.csv && cmp all.svm parts.svm && echo same
question 'every command that reads data takes them'
halfspace train perceptron -q one.csv two.csv -o parts.hsp
halfspace train perceptron -q all.csv -o all.hsp >all.txt
halfspace model info all.hsp >one.txt; halfspace model info parts.hsp | diff one.txt - && echo same
halfspace predict -q parts.hsp one.csv two.csv
halfspace eval -q parts.hsp one.csv two.csv | head -n 3
halfspace cv perceptron -q --folds 2 one.csv two.csv | head -n 1
halfspace train perceptron -q --stream one.csv two.csv | head -n 1
question 'what differs between headers, and what is wrong, is told with its place'
halfspace convert -q one.csv turned.csv out.svm 2>&1
halfspace convert -q one.csv bad.csv out.svm 2>&1
halfspace convert -q one.csv all.svm out.svm 2>&1
halfspace convert -q one.csv missing.csv out.svm 2>&1
halfspace train svm -q --certify one.csv two.csv 2>&1
halfspace certify one.csv two.csv 2>&1
question 'no file is overwritten'
halfspace train svm -q one.csv two.csv -o two.csv 2>&1
