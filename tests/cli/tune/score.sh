# Tuning chooses by the score that is asked for: one class is rare, and the error alone would give it up.
printf 'x,label\n' >rare.csv
i=0; while [ $i -lt 60 ]; do echo "$((i % 7)),no"; i=$((i + 1)); done >>rare.csv
printf '%s,yes\n' 5 6 5 6 7 6 >>rare.csv
halfspace tune svm -q --tune C=0.001,0.1,10 --weight balanced --score balanced-accuracy --folds 3 rare.csv
question 'By the error'
halfspace tune svm -q --tune C=0.001,0.1,10 --folds 3 rare.csv
question 'Probabilities are asked for before anything is trained'
halfspace tune svm -q --tune C=1,10 --score log-loss rare.csv 2>&1; echo "exit $?"
halfspace tune svm -q --tune calibrate=platt,none --score log-loss rare.csv 2>&1; echo "exit $?"
