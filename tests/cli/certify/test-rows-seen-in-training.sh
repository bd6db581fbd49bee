# Test rows support no claim about the error of a model that was trained on other rows than those of DATA: the
# model may have seen them.
halfspace make halfspace --rows 60 --features 3 --seed 3 -q -o all.svm
halfspace split -q all.svm one.svm two.svm --test 0.5
halfspace train svm -q one.svm -o one.hsp >/dev/null
halfspace certify -q one.svm >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
halfspace certify -q two.svm --model one.hsp --test one.svm --claim error
echo "status $?"
