# Every bound of a model, for people and for machines.
halfspace make halfspace --rows 2000 --features 10 --noise 0.05 --seed 3 -q -o all.svm
halfspace split all.svm train.svm test.svm --test 0.3 -q >/dev/null
halfspace train perceptron -q --passes 1 train.svm -o p.hsp >/dev/null 2>&1
halfspace bound p.hsp --train train.svm --test test.svm
echo "exit $?"
question 'Only one of the files; another confidence'
halfspace bound p.hsp --test test.svm --delta 0.01 | sed -n 1,8p
halfspace bound p.hsp --train train.svm -q | tail -n 4
question 'Votes of a single pass; a machine, with and without another run of it; a kernel'
halfspace train perceptron -q --passes 1 --average vote train.svm -o v.hsp >/dev/null 2>&1
halfspace bound v.hsp --train train.svm | grep -E '^  (online|compression)' | cut -c 1-75
halfspace train svm -q --gap 1e-9 train.svm -o s.hsp >/dev/null
halfspace bound s.hsp --train train.svm | grep -E '^  (compression|leave)'
halfspace bound s.hsp --train train.svm --no-retrain | grep -E '^  compression'
halfspace train svm -q --kernel 'rbf(0.05)' train.svm -o k.hsp >/dev/null
halfspace bound k.hsp --train train.svm --no-retrain | grep -E '^  (vc|description|rounded|online|compression) '
question 'What the rows fitted is no fixed space'
halfspace train perceptron -q --scale standard --normalize rows train.svm -o n.hsp >/dev/null 2>&1
halfspace bound n.hsp --train train.svm | sed -n '/^What does not/,/^$/p'
question 'Tuned: every point that was tried has its share'
halfspace tune perceptron -q --tune rate=1,2,3 --passes 1 train.svm -o t.hsp >/dev/null 2>&1
halfspace bound t.hsp --train train.svm | grep -E '^  online ' | cut -c 1-40
question 'The same on any number of threads'
halfspace bound p.hsp --train train.svm --test test.svm --threads 1 >one
halfspace bound p.hsp --train train.svm --test test.svm --threads 7 | cmp - one && echo same
question 'The same model by its word'
halfspace bound model p.hsp --train train.svm --test test.svm | cmp - one && echo same
question 'JSON'
halfspace bound p.hsp --train train.svm --test test.svm --json | sed '/seconds/d;/peak_rss/d;/threads/d' | sed -n 1,44p
question 'CSV is read as the model reads it'
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged --order shuffle iris.csv -o iris.hsp >/dev/null
halfspace bound iris.hsp --train iris.csv -q | sed -n '1,16p' | cut -c 1-84 | sed 's/ *$//'
question 'A machine that kept its dual weights knows its support rows'
halfspace train svm -q --gap 1e-9 --keep-dual train.svm -o dual.hsp >/dev/null
halfspace bound dual.hsp --train train.svm | grep -E '^  (compression|leave).*rows '
