# Libraries that cannot be loaded for want of memory are not called missing.
(ulimit -v 12000 && halfspace --version) >/dev/null 2>&1 || { echo "memory cannot be limited here"; exit 77; }
printf '1 1:1\n-1 1:2\n' | gzip >a.svm.gz
halfspace inspect -q a.svm.gz >/dev/null 2>&1 || { echo "built without libarchive"; exit 77; }
for kilobytes in 10000 12000 14000; do
    (ulimit -v $kilobytes && halfspace inspect -q --threads 1 a.svm.gz >out 2>&1)
    echo "status $?: $(sed 's/while reading: asked for .*/while .../; s/while loading .*/while .../' out | tail -n 1)"
done
