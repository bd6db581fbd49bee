# A bound from test rows asks what the model was trained on. Labels are coins: every bound below 50%
# would be false.
halfspace make halfspace -q --rows 60 --features 60 --noise 0.5 --seed 3 -o t.svm
halfspace make halfspace -q --rows 20 --features 60 --noise 0.5 --seed 4 -o d.svm
train() { halfspace train svm -q "$@" >/dev/null 2>&1; }
train --C 1000 t.svm -o m.hsp
echo '# the training file itself'
halfspace bound m.hsp --test t.svm 2>&1; echo "exit $?"
echo '# trained on it in double precision and sparse; read in single'
train --C 1000 --precision double --storage sparse t.svm -o wide.hsp
halfspace bound wide.hsp --test t.svm 2>&1; echo "exit $?"
halfspace bound wide.hsp --test t.svm --precision single 2>&1; echo "exit $?"
train --precision single --warm-start wide.hsp d.svm -o s.hsp
halfspace bound s.hsp --test t.svm 2>&1; echo "exit $?"
echo '# trained in double precision; the test rows are a binary file in single'
halfspace convert -q --precision single t.svm t.hspd --to hsp
halfspace bound wide.hsp --test t.hspd 2>&1; echo "exit $?"
halfspace model export -q wide.hsp --format liblinear -o wide.txt
tail -n 1 wide.txt
halfspace model import -q wide.txt -o i.hsp
halfspace bound i.hsp --test t.hspd 2>&1; echo "exit $?"
echo '# trained in single precision on rows of more digits: certified as if on the rounded ones'
printf '1 1:0.123456789012 2:1\n-1 1:0.5 2:0.987654321098\n' >long.svm
printf '1 1:0.12345679 2:1\n-1 1:0.5 2:0.9876543\n' >short.svm
train --precision single long.svm -o single.hsp
halfspace certify -q short.svm --model single.hsp --test long.svm --claim error; echo "exit $?"
echo '# the same rows as a table'
halfspace convert -q t.svm t.csv
halfspace bound m.hsp --test t.csv 2>&1; echo "exit $?"
echo '# exported and imported again'
for format in liblinear libsvm; do
    halfspace model export -q m.hsp --format $format -o m.txt
    tail -n 1 m.txt
    halfspace model import -q m.txt -o i.hsp
    halfspace bound i.hsp --test t.svm 2>&1; echo "exit $?"
    halfspace certify -q d.svm --model i.hsp --test t.svm --claim error; echo "exit $?"
done
echo '# without that line nobody knows'
sed '$d' m.txt >bare.txt
halfspace model import -q bare.txt -o bare.hsp
halfspace bound bare.hsp --test d.svm 2>&1; echo "exit $?"
halfspace certify -q t.svm --model bare.hsp --test d.svm --claim error; echo "exit $?"
echo '# a warm start'
train --warm-start m.hsp --gap 1 --max-passes 1 d.svm -o s.hsp
halfspace model show s.hsp | grep hash
halfspace bound s.hsp --test t.svm 2>&1; echo "exit $?"
halfspace certify -q d.svm --model s.hsp --test t.svm --claim error; echo "exit $?"
echo '# of a warm start, exported and imported'
halfspace model export -q s.hsp --format liblinear -o s.txt
tail -n 1 s.txt
halfspace model import -q s.txt -o i.hsp
halfspace bound i.hsp --test t.svm 2>&1; echo "exit $?"
echo '# a warm start at a model that does not say'
train --warm-start bare.hsp d.svm -o s.hsp
halfspace model show s.hsp | grep hash
halfspace bound s.hsp --test t.svm 2>&1; echo "exit $?"
echo '# a stream'
halfspace train perceptron -q --stream --passes 1 t.svm -o stream.hsp >/dev/null 2>&1
halfspace bound stream.hsp --test d.svm 2>&1; echo "exit $?"
echo '# no confidence is 1'
halfspace bound m.hsp --test d.svm --delta 1e-9 | grep -o 'each with confidence .*'
echo '# rows that are new: the sentence has its premise'
halfspace bound m.hsp --test d.svm | grep 'true error is'
