# Separable rows are not called inseparable because some are far smaller than others.
printf 'a 1:1\nb 1:2\n' >pos.svm
if halfspace train lp -q pos.svm 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
printf 'a 1:1e-12\nb 1:-1e-12\na 1:1e6\nb 1:-1e6\n' >mix.svm
printf 'a 1:1e-30\nb 1:-1e-30\na 1:1\nb 1:-1\n' >sep30.svm
for file in mix.svm sep30.svm; do
    for learner in lp 'lp --offset none' 'svm --hard' 'svm --hard --offset none'; do
        halfspace train $learner -q "$file" 2>/dev/null | grep 'training error'
    done
done
