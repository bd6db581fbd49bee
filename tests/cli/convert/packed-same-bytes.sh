# Compressed files have the same bytes on every run.
printf '1 1:1\n-1 1:2\n' >a.svm
halfspace convert -q a.svm a.svm.gz 2>/dev/null || { echo "built without libarchive"; exit 77; }
sleep 1.1
for ending in gz bz2 xz zst; do
    halfspace convert -q a.svm "b.svm.$ending"
done
sleep 1.1
cmp a.svm.gz b.svm.gz && echo 'gz: the same'
for ending in bz2 xz zst; do
    halfspace convert -q a.svm "c.svm.$ending"
    cmp "b.svm.$ending" "c.svm.$ending" && echo "$ending: the same"
done
