# Few of many columns matter; the run, its model and what predicts with it.
halfspace make disjunction --rows 2000 --features 500 --relevant 4 --seed 3 -q -o d.svm
halfspace make disjunction --rows 500 --features 500 --relevant 4 --seed 3 --noise 0.1 -q -o noisy.svm
halfspace train winnow -q --passes until-converged d.svm -o w.hsp
halfspace model show w.hsp | sed -n '/^Score/,/^  [0-9]/p' | head -3
halfspace eval -q w.hsp d.svm | sed -n 1,4p
for variant in winnow1 balanced; do
    halfspace train winnow -q --variant $variant --passes until-converged d.svm | grep -E 'converged|training error'
done
question 'A stream is one pass over the file, to the bit'
halfspace train winnow -q --passes 1 --average average --threshold 500 --classes=-1,1 noisy.svm -o one.hsp >/dev/null 2>&1
halfspace train winnow -q --stream --average average --threshold 500 --classes=-1,1 noisy.svm -o two.hsp >/dev/null
halfspace predict -q one.hsp d.svm -o one.txt
halfspace predict -q two.hsp d.svm -o two.txt
cmp one.txt two.txt && echo same
question 'A line an update, with the total of the weights beside its bound'
halfspace train winnow -q --passes until-converged --trace t.csv d.svm >/dev/null
head -3 t.csv
awk -F, 'NR > 1 && $7 > $8 {bad = 1} END {print bad ? "exceeded" : "below"}' t.csv
question 'Classes of iris; values are mapped into [0, 1]'
cp "$EXAMPLES/iris.csv" .
for how in native ovr ovo; do
    halfspace train winnow -q --variant balanced --multiclass $how --scale min-max --delta 0.1 --passes 50 \
        --average average iris.csv 2>/dev/null | grep 'training error'
done
halfspace train winnow -q --variant balanced --scale min-max --delta 0.1 --calibrate platt \
    --classes versicolor,virginica iris.csv -o p.hsp >/dev/null 2>&1
halfspace predict -q p.hsp iris.csv --probability | head -2
halfspace cv winnow -q --folds 4 d.svm | sed -n 1,2p
halfspace tune winnow -q --folds 4 --tune delta=0.5,1 --tune variant=winnow2,balanced d.svm | grep chosen
halfspace train winnow -q --json --passes until-converged d.svm | grep -E '"(learner|updates|converged)"'
question 'Refused: other values, what does not go together, streams that do not say enough'
halfspace train winnow -q iris.csv
printf '1 1:0.5\n-1 2:1\n\n-1 1:3\n' >blank.svm
halfspace train winnow -q blank.svm
halfspace train winnow -q --stream --threshold 4 --classes 1,-1 blank.svm
halfspace train winnow -q --classes 1,-1 blank.svm
halfspace train winnow -q - <blank.svm
halfspace tune winnow -q --folds 2 --tune delta=0.5,1 blank.svm
halfspace train winnow -q --stream --threshold 4 --positive setosa iris.csv
halfspace train winnow -q --scale standard iris.csv
halfspace train winnow -q --threshold 0 d.svm
halfspace train winnow -q --offset unit d.svm
halfspace train winnow -q --stream d.svm
halfspace train winnow -q --stream --threshold 500 d.svm
halfspace train winnow -q --variant winnow1 --scale min-max iris.csv
echo "exit $?"
