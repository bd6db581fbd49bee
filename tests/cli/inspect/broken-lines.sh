# libsvm text with lines that cannot be read: inspect looks at the others, and says which line is broken.
printf '1 1:2 2:3\n-1 1:x\n1 2:1 1:4\n-1 3:1\n1 1:1\nodd 2\n' >b.svm
halfspace inspect -q b.svm | sed -n '/watch/,/to read/p'
question 'Leave them out, and keep them with their reasons'
halfspace convert b.svm good.svm --on-error skip --rejects bad.svm 2>&1 | sed 's/ in [0-9.]* s.*//'
cat good.svm bad.svm
question 'The file of rejects, repaired, can be read; refusals'
sed 's/x/5/; s/2:1 1:4/1:4 2:1/; s/^odd 2/1 2:2/' bad.svm >mended.svm
halfspace convert -q mended.svm out.svm
cat out.svm
halfspace inspect -q b.svm --on-error skip --rejects b.svm 2>&1
printf '1 x\n' >none.svm
halfspace inspect -q none.svm 2>&1
halfspace train svm good.svm --target y 2>&1
question 'predict answers them with an empty label'
halfspace train svm -q good.svm -o m.hsp >/dev/null
halfspace predict -q m.hsp b.svm --on-error skip 2>/dev/null
