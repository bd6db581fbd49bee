# Losses of rows by hand: s = x1 + x2 - 1.5 is -1, 1, 0.8 and 0, so that the slack is 2, 0, 0.2 and 1.
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1\n1\n-1.5\n' >abcd.txt
halfspace model import -q abcd.txt -o abcd.hsp
printf '1 1:-0.5 2:1\n1 1:2 2:0.5\n1 1:1.3 2:1\n1 1:1 2:0.5\n' >abcd.svm
question 'in the plane, and as bars'
halfspace plot -q slack abcd.hsp abcd.svm -o a.svg && grep -o 'ξ = [0-9.]*\|3 of 4[^<]*' a.svg
question 'other losses: squared hinge, logistic'
for loss in squared logistic; do halfspace plot -q slack abcd.hsp abcd.svm --loss $loss -o b.svg && grep -o 'mean loss [^<]*' b.svg; done
question 'kernel models and several classes: the losses alone; many rows as curves'
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --kernel rbf iris.csv -o three.hsp >/dev/null
halfspace plot -q slack three.hsp iris.csv -o c.svg && grep -o 'rows of the class[^<]*' c.svg
halfspace plot -q slack three.hsp iris.csv --x 1 --y 2 2>&1; echo "exit $?"
halfspace train knn -q iris.csv -o knn.hsp >/dev/null
halfspace plot -q slack knn.hsp iris.csv 2>&1; echo "exit $?"
question 'without the plane of rows, the legend has the classes'
halfspace plot -q slack three.hsp iris.csv | tail -3
question 'a model that decides at a threshold: its slack is of score 0, and its mistakes are those of eval'
halfspace train logistic -q --positive virginica iris.csv --ignore petal_length,petal_width -o l.hsp >/dev/null
halfspace eval -q l.hsp iris.csv --threshold best-f1 --save-model t.hsp | grep 'threshold\|mistakes'
halfspace plot -q slack t.hsp iris.csv --width 40 --height 10 | tail -8
halfspace plot -q t.hsp iris.csv --show distances --width 40 --height 10 | tail -4
halfspace plot -q losses t.hsp iris.csv --width 40 --height 10 | tail -3
question 'more features: the axis is the distance from s(x) = 0, in units of the file'
halfspace train svm -q --positive virginica iris.csv --scale standard --calibrate platt -o c.hsp >/dev/null
halfspace plot -q c.hsp iris.csv --show distances -o d.svg && grep -o 'signed distance[^<]*\|lengths in units[^<;]*' d.svg
