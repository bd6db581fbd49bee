# Rows that are separable, but not through the origin: the message and the evidence say so.
printf 'a 1:1\nb 1:2\n' >pos.svm
if halfspace train lp -q pos.svm 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
halfspace train lp -q --offset none pos.svm
echo "status $?"
halfspace train svm --hard -q --offset none pos.svm
echo "status $?"
