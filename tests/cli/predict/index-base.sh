# A model keeps the numbering of its columns.
question 'Columns from 0, though the next file does not show it'
printf '1 0:1 1:2\n-1 1:-1 2:1\n' >train.svm
printf '1 1:2\n-1 1:-1 2:1\n' >new.svm
for stream in '' --stream; do
    halfspace train perceptron -q --passes 1 $stream train.svm -o model.hsp >/dev/null 2>&1
    halfspace predict -q model.hsp new.svm --scores
done
halfspace convert -q train.svm cache.hsp
halfspace train perceptron -q cache.hsp -o model.hsp >/dev/null
halfspace predict -q model.hsp new.svm --scores
halfspace eval -q model.hsp new.svm | sed -n 2,3p
question 'Columns that training never saw are ignored, with a warning'
printf '1 1:2 9:5\n' | halfspace predict model.hsp -
