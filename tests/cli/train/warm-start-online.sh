# Yesterday's model goes on with today's rows: the run ends as one run over both days does.
halfspace make separable --rows 60 --features 4 --margin 0.1 -q -o all.svm >truth.txt
head -n 40 all.svm >a.svm
tail -n 20 all.svm >b.svm
question 'perceptron, in memory and in a stream: the same scores, digit by digit'
for how in --passes=1 --stream; do
    halfspace train perceptron -q $how all.svm -o all.hsp >out.txt 2>&1
    halfspace train perceptron -q $how a.svm -o a.hsp >out.txt 2>&1
    halfspace train perceptron -q $how --warm-start a.hsp b.svm -o ab.hsp >out.txt 2>&1
    halfspace predict -q --scores all.hsp all.svm >all.txt
    halfspace predict -q --scores ab.hsp all.svm | cmp - all.txt && echo same
done
question 'pegasos goes on with the steps counted; winnow with its exponents'
pegasos='svm -q --stream --solver pegasos --average none --lambda 1e-2'
halfspace train $pegasos --classes=-1,1 all.svm -o all.hsp >out.txt
halfspace train $pegasos --classes=-1,1 a.svm -o a.hsp >out.txt
halfspace train $pegasos --warm-start a.hsp b.svm -o ab.hsp >out.txt
halfspace predict -q ab.hsp all.svm >ab.txt
halfspace predict -q all.hsp all.svm | cmp - ab.txt && echo same
halfspace make disjunction --rows 80 --features 12 -q -o dis.svm >truth.txt
head -n 50 dis.svm >c.svm
tail -n 30 dis.svm >d.svm
winnow='winnow -q --stream --threshold 12'
halfspace train $winnow --classes=-1,1 dis.svm -o all.hsp >out.txt
halfspace train $winnow --classes=-1,1 c.svm -o c.hsp >out.txt
halfspace train $winnow --warm-start c.hsp d.svm -o cd.hsp >out.txt
halfspace predict -q --scores all.hsp dis.svm >all.txt
halfspace predict -q --scores cd.hsp dis.svm | cmp - all.txt && echo same
question 'a table is read with the encoding of the model; a class that it does not have is an error'
printf 'job,x,class\ncook,1,a\nbaker,2,b\ncook,3,b\n' >one.csv
printf 'job,x,class\nbaker,1,a\ndriver,2,b\n' >two.csv
printf 'job,x,class\nbaker,1,a\ncook,2,z\n' >new.csv
halfspace train perceptron -q --passes 1 one.csv -o one.hsp >out.txt 2>&1
halfspace train perceptron -q --passes 1 --warm-start one.hsp two.csv 2>&1 | head -n 2
halfspace train perceptron -q --stream --warm-start one.hsp two.csv 2>&1 | head -n 2
halfspace train perceptron -q --stream --warm-start one.hsp new.csv 2>&1
question 'what cannot go on'
halfspace train perceptron -q --passes 1 --average average a.svm -o mean.hsp >out.txt 2>&1
halfspace train perceptron -q --stream --warm-start mean.hsp b.svm 2>&1
halfspace train winnow -q --stream --threshold 9 --warm-start c.hsp d.svm 2>&1
halfspace train winnow -q --stream --threshold 9 --warm-start one.hsp d.svm 2>&1
halfspace train perceptron -q --stream --scale standard --warm-start a.hsp b.svm 2>&1
