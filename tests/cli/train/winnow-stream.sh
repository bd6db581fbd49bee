# Winnow on a stream is one pass over the file, to the bit.
halfspace make disjunction --rows 2000 --features 500 --relevant 4 --seed 3 -q -o d.svm
halfspace make disjunction --rows 500 --features 500 --relevant 4 --seed 3 --noise 0.1 -q -o noisy.svm
halfspace train winnow -q --passes 1 --average average --threshold 500 --classes=-1,1 noisy.svm -o one.hsp >/dev/null 2>&1
halfspace train winnow -q --stream --average average --threshold 500 --classes=-1,1 noisy.svm -o two.hsp >/dev/null
halfspace predict -q one.hsp d.svm -o one.txt
halfspace predict -q two.hsp d.svm -o two.txt
cmp one.txt two.txt && echo same
