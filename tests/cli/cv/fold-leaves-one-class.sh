# An error in the rows that are left when a fold is held out names the fold.
printf 'x,w,label\n1,1,a\n2,1,a\n3,0,b\n4,1,b\n5,1,a\n6,1,a\n' >weights.csv
halfspace cv svm -q --folds 2 --row-weight w weights.csv 2>&1; echo "exit $?"
