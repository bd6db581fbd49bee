# A file may be converted onto itself, also one that is mapped.
halfspace make separable --rows 500 -q -o a.svm
cp a.svm b.svm
halfspace convert -q a.svm a.svm && cmp a.svm b.svm && echo same
halfspace convert -q a.svm a.hsp
cksum <a.hsp >before
halfspace convert -q a.hsp a.hsp && cksum <a.hsp | cmp - before && echo same
ls
