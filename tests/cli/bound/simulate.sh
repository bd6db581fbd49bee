# No bound fails more often than it may; the same seed gives the same bytes on any number of threads.
# does JSON have the same figures?
halfspace bound simulate --trials 200 --delta 0.2 -q
echo "exit $?"
# is it the same for any number of threads, and another for another seed?
halfspace bound simulate --trials 40 --learner svm --set C=10 --rows 60 -q --threads 1 >one
halfspace bound simulate --trials 40 --learner svm --set C=10 --rows 60 -q --threads 5 | cmp - one && echo same
halfspace bound simulate --trials 40 --seed 2 --learner svm --set C=10 --rows 60 -q | cmp -s - one || echo another
halfspace bound simulate --trials 20 --rows 60 -q --json | sed '/seconds/d;/peak_rss/d;/threads/d' | sed -n 1,22p
