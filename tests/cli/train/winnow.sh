# Winnow finds the few columns that matter among many; its model predicts without mistakes.
halfspace make disjunction --rows 2000 --features 500 --relevant 4 --seed 3 -q -o d.svm
halfspace train winnow -q --passes until-converged d.svm -o w.hsp
halfspace model show w.hsp | sed -n '/^Score/,/^  [0-9]/p' | head -4
halfspace eval -q w.hsp d.svm | sed -n 1,4p
question 'The other variants'
for variant in winnow1 balanced; do
    halfspace train winnow -q --variant $variant --passes until-converged d.svm | grep -E 'converged|training error'
done
question 'Cross-validation, tuning and JSON'
halfspace cv winnow -q --folds 4 d.svm | sed -n 1,2p
halfspace tune winnow -q --folds 4 --tune delta=0.5,1 --tune variant=winnow2,balanced d.svm | grep chosen
halfspace train winnow -q --json --passes until-converged d.svm | grep -E '"(learner|updates|converged)"'
