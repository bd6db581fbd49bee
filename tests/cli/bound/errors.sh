# What bound refuses, and in which words.
try()
{
    halfspace bound -q "$@" 2>&1
    echo "exit $?"
}
halfspace make halfspace --rows 60 --features 2 --seed 1 -q -o a.svm
halfspace make halfspace --rows 30 --features 2 --seed 1 -q -o b.svm
halfspace make halfspace --rows 30 --features 2 --seed 2 -q -o c.svm
halfspace train perceptron -q a.svm -o a.hsp >/dev/null 2>&1
# are missing files, and files in the wrong place, named?
try a.hsp
try a.hsp --train
try a.hsp b.svm --train a.svm
# does it notice other training rows, and test rows that are training rows?
try a.hsp --train b.svm
try a.hsp --train a.svm --test b.svm
try a.hsp --train a.svm --test b.svm --allow-overlap | sed -n '1,4p;$p'
# does it refuse a delta that is none?
try a.hsp --train a.svm --test c.svm --delta 0
try a.hsp --train a.svm --test c.svm --delta 1
# does it refuse what is no model, and actions that are not there?
try nosuch.hsp --train a.svm
try a.svm --train a.svm
try simulat
try sample-siz
try --train a.svm
# does sample-size ask for what it needs, no less and no more?
try sample-size
try sample-size --epsilon 0.1
try sample-size --epsilon 0.1 --delta 0.1
try sample-size --epsilon 0.1 --delta 0.1 --rows 10 --vc 3
try sample-size --epsilon 0.1 --delta 0.1 --vc 3 --bits 8
try sample-size --epsilon 0 --delta 0.1 --vc 3
try sample-size --epsilon 0.1 --delta 0.1 --class halfspace:3
try sample-size --epsilon 0.1 --delta 0.1 --class halfspaces
try sample-size --rows 1.5 --delta 0.1 --vc 1
try sample-size extra --rows 15 --delta 0.1 --vc 1
# does simulate refuse learners and settings that are not there?
try simulate extra
try simulate --learner nosuch
try simulate --set passes
try simulate --set nosuch=1
try simulate --set average=vote --trials 3
halfspace bound | sed -n 1,5p
# The same rows in another precision are the same rows: a model that came back from LIBLINEAR's format has its numbers in double.
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q --positive setosa iris.csv -o setosa.hsp >/dev/null
halfspace model export -q setosa.hsp --format liblinear -o there.txt
halfspace model import -q there.txt -o back.hsp
halfspace bound -q back.hsp --train iris.csv 2>&1 | sed -n 1,2p
