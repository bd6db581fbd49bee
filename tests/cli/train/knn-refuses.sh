# Options and data that k nearest neighbours cannot use are refused.
printf 'b 1:0\na 1:4\n' >two.svm
question 'Options'
for bad in '--k 0' '--k two' '--k 3' '--k 1 --max-k 2' '--k 1 --metric far' '--k 1 --metric kernel:rbf(' \
    '--k 1 --metric kernel:precomputed' '--k 1 --metric kernel:sigmoid(1,0)' \
    '--k 1 --index tree --metric hamming' '--k 1 --stream'; do
    # shellcheck disable=SC2086 # options are words
    halfspace train knn -q $bad two.svm 2>&1
done
question 'Rows of one class'
printf 'a 1:1\na 1:2\n' | halfspace train knn -q - 2>&1
