# Out of memory is said in words, with status 4, and leaves no file behind.
(ulimit -v 30000 && halfspace --version) >/dev/null 2>&1 || { echo "memory cannot be limited here"; exit 77; }
halfspace make separable --rows 2e5 -q -o a.svm
ulimit -v 30000
halfspace inspect a.svm --threads 2
echo "exit $?"
halfspace convert a.svm b.hsp --threads 2
echo "exit $?"
ls -A
