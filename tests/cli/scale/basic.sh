# What was seen in the training rows scales the test rows.
printf '1 1:2 2:10\n-1 1:4 2:-20\n' >train.svm
printf '1 1:8 2:5\n' >test.svm
halfspace scale train.svm - --kind max-abs --save s.hsp
halfspace scale -q test.svm - --apply s.hsp
halfspace scale -q train.svm - --kind min-max --low -1 --high 1
halfspace scale -q train.svm - --kind unit-rows
printf '1 1:2 5000:10\n-1 2:4\n' | halfspace scale -q - - --kind standard
echo "exit $?"
printf '1 1:2 3:10\n' | halfspace scale -q - - --apply s.hsp
echo "exit $?"
