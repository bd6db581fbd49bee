# The same model on one thread and on two, where nearly all rows are of one class and all of them support vectors
awk 'BEGIN {
    seed = 7
    for (i = 0; i < 1500; i++) {
        row = i % 20 ? "1" : "-1"
        for (j = 1; j <= 60; j++) {
            sum = 0
            for (k = 0; k < 4; k++) { seed = (seed * 16807) % 2147483647; sum += seed / 2147483647 - 0.5 }
            row = row " " j ":" sprintf("%.3f", 1.7 * sum)
        }
        print row
    }
}' >rows.svm
for options in '--kernel rbf(0.1) --offset none' '--kernel rbf(0.3)' '--kernel rbf(0.1) --offset regularized'; do
    for threads in 1 2; do
        # shellcheck disable=SC2086 # several words
        halfspace train svm $options --loss squared --threads $threads --max-seconds 60 -q rows.svm -o $threads.hsp |
            sed -n 's/^  converged *\(yes\|no\).*/\1/p'
    done
    cmp 1.hsp 2.hsp && echo "the same model: $options"
done
