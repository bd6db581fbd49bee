# Labels of a test file that differ from the model's classes only in case or by a final point count as those.
printf 'x,y\n1,no\n2,no\n5,yes\n6,yes\n' >train.csv
halfspace train svm -q train.csv -o m.hsp >out
printf 'x,y\n1,NO\n6,yes.\n2,maybe\n' >test.csv
halfspace eval m.hsp test.csv 2>said | grep mistakes
grep label said
