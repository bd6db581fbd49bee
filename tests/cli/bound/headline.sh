# The sentence without test rows holds with the confidence that it names: each of the bounds it
# chooses among has its share of delta.
halfspace make halfspace -q --rows 2000 --features 3 --noise 0.02 --seed 3 -o t.svm
halfspace train perceptron -q --passes 1 t.svm -o m.hsp >/dev/null 2>&1
halfspace bound m.hsp --train t.svm --delta 0.08 | grep '^The error on'
# It is what the named bound says at that delta.
halfspace bound m.hsp --train t.svm --delta 0.01 | grep -E '^  [a-z-]+ +training .* this model' | sort -k3,3n | head -n 1 | cut -c 1-40
halfspace bound m.hsp --train t.svm --delta 0.08 --json | grep '"training_'
# Gaps filled with means of all rows: nothing that asks for rows which had no part in that.
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 300; i++) print i % 17 "," (i % 29 ? i % 7 : "") "," ((i * i) % 17 > 8 ? "u" : "v") }' >gaps.csv
halfspace train perceptron -q --missing mean --passes 1 gaps.csv -o gaps.hsp >/dev/null 2>&1
halfspace bound gaps.hsp --train gaps.csv | sed -n '/^What does not/,/^$/p'
halfspace bound gaps.hsp --train gaps.csv | grep '^The error on'
# Tuning over offset chooses between two classes of halfspaces, which share delta.
halfspace make halfspace -q --rows 2000 --features 3 --noise 0.02 --seed 6 -o t.svm
halfspace train svm -q --offset none t.svm -o none.hsp >/dev/null
halfspace tune svm -q --tune offset=none,free t.svm -o tuned.hsp >/dev/null
halfspace model show tuned.hsp | grep '^  offset'
for model in none tuned; do
    for delta in 0.05 0.1; do
        echo "$model at $delta: $(halfspace bound $model.hsp --train t.svm --no-retrain --delta $delta | grep -E '^  (vc|margin|pac-bayes) +training' | awk '{ printf "%s %s  ", $1, $3 }')"
    done
done
