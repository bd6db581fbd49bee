# Range files of svm-scale are applied as svm-scale -r does: sparse rows are filled, columns without a range become 0.
printf 'x\n-1 1\n1 0 3\n2 -1 0\n3 0 7\n' >range
printf '1 1:2.5 3:6\n2 2:-2 4:2 5:3\n1 \n' >b.svm
# svm-scale -r range b.svm prints 1:0.666667 2:1 3:0.714286, 1:-1 2:-3 3:-1 and 1:-1 2:1 3:-1
halfspace scale b.svm - --apply range 2>&1
question 'Without moved zeros rows stay sparse; a saved scaling is the same'
printf 'x\n0 1\n2 0 4\n9 0 8\n' >zero
halfspace scale -q b.svm - --apply zero --save zero.hsp
halfspace scale -q b.svm - --apply zero.hsp
question 'Files that are refused'
printf 'y\n0 1\n1 9\nx\n-1 1\n1 0 3\n' >labels
printf 'x\n-1 1\n1 0 3\n1 0 2\n' >twice
printf 'x\n-1 1\n1 0 3\n2 0 two\n' >word
printf 'x\n-1 1\n0 0 3\n2 0 2\n' >from-zero
for file in labels twice word from-zero; do
    halfspace scale -q b.svm - --apply $file 2>&1
done
true
