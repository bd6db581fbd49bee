# Out of memory is said in words, with status 4, and leaves no file behind.
(ulimit -v 30000 && halfspace --version) >/dev/null 2>&1 || { echo "memory cannot be limited here"; exit 77; }
halfspace make separable --rows 2e5 -q -o a.svm
ulimit -v 30000
for command in 'inspect a.svm' 'convert a.svm b.hsp'; do
    halfspace $command --threads 2 2>err
    echo "exit $?: $(sed 's/for [0-9.]* [kM]B/for .../' err)"
done
ls -A
