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
