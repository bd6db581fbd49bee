# What "not separable" says, and when it must not be said.
printf 'a 1:1\nb 1:2\n' >pos.svm
if halfspace train lp -q pos.svm 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
echo '# through the origin'
halfspace train lp -q --offset none pos.svm
echo "status $?"
halfspace train svm --hard -q --offset none pos.svm
echo "status $?"
echo '# rows far smaller than others'
printf 'a 1:1e-12\nb 1:-1e-12\na 1:1e6\nb 1:-1e6\n' >mix.svm
printf 'a 1:1e-30\nb 1:-1e-30\na 1:1\nb 1:-1\n' >sep30.svm
for file in mix.svm sep30.svm; do
    for learner in lp 'lp --offset none' 'svm --hard' 'svm --hard --offset none'; do
        halfspace train $learner -q "$file" 2>/dev/null | grep 'training error'
    done
done
echo '# numbers that become 0'
printf 'a 1:1e-150\nb 1:2e-150\na 1:0.5e-150\n' >tiny.svm
printf 'x,y\n1e-150,a\n2e-150,b\n0,a\n' >tiny.csv
halfspace train lp tiny.svm 2>&1
halfspace train lp --precision single tiny.csv 2>&1 >/dev/null | grep warning
halfspace train perceptron --stream --precision single tiny.svm 2>&1 >/dev/null | grep warning
halfspace train lp --precision double tiny.svm 2>&1 | grep -e warning -e 'training error'
# With a kernel, too little of a margin is none: and says so.
printf '0 1:1000 2:1\n0 1:-1000 2:1\n1 1:1000 2:1.0001\n1 1:-1000 2:1.0001\n' >thin.svm
halfspace train svm -q --hard --kernel linear thin.svm 2>&1 | tail -n 2
halfspace train svm -q --hard --kernel linear --scale standard thin.svm 2>&1 | grep 'training error'
