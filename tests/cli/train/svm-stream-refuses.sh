# What a support vector machine cannot do with a stream is refused.
halfspace make halfspace --rows 3000 --features 8 --noise 0.1 -q -o a.svm
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
exec 2>&1
halfspace train svm --stream a.svm
halfspace train svm --stream --C 1 a.svm
halfspace train svm --stream --lambda 1 --loss squared a.svm
halfspace train svm --stream --lambda 1 iris.svm
echo "exit $?"
