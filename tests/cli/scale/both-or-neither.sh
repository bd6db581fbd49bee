# The scaled rows and the scaling appear together, or neither does.
mkdir full
mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || { echo "nothing can be mounted here"; exit 77; }
trap 'umount full' EXIT
halfspace make separable --rows 20000 -q -o a.svm
printf 'old rows\n' >full/rows.svm
printf 'old scaling\n' >scaling.hsp
halfspace scale -q a.svm full/rows.svm --save scaling.hsp 2>&1
echo "status $?"
cat full/rows.svm scaling.hsp
printf 'old rows\n' >rows.svm
printf 'old scaling\n' >full/scaling.hsp
head -c 100000 /dev/zero >full/filler 2>/dev/null
halfspace scale -q a.svm rows.svm --save full/scaling.hsp 2>&1
echo "status $?"
cat rows.svm full/scaling.hsp
ls -A . full | grep halfspace-
