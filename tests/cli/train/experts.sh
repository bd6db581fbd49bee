# Prediction with expert advice, on a table small enough to check by hand.
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace train experts -q five.csv -o five.hsp --trace trace.csv
cut -d, -f1-9 trace.csv
question 'The model: shown, predicting, audited'
halfspace model show -q five.hsp | tail -n 6
halfspace predict -q five.hsp five.csv --scores
halfspace audit -q five.hsp five.csv --json | grep -cE '"held": true'
question 'The experts vote by the signs of the columns: other numbers of the same signs are the same row'
printf 'a,b,c,d,e,class\n0.25,9,-1,0,-3,yes\n' | halfspace predict -q five.hsp - --scores
