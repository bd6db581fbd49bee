# Winnow on columns that are scaled to [0, 1].
cp "$EXAMPLES/iris.csv" .
question 'Three classes'
for how in native ovr ovo; do
    halfspace train winnow -q --variant balanced --multiclass $how --scale min-max --delta 0.1 --passes 50 \
        --average average iris.csv 2>/dev/null | grep 'training error'
done
question 'Probabilities of two classes'
halfspace train winnow -q --variant balanced --scale min-max --delta 0.1 --calibrate platt \
    --classes versicolor,virginica iris.csv -o p.hsp >/dev/null 2>&1
halfspace predict -q p.hsp iris.csv --probability | head -2
