# What there is no figure of, and why.
exec 2>&1
cp "$EXAMPLES/iris.csv" .
halfspace train perceptron -q --positive setosa --passes until-converged iris.csv -o m.hsp >/dev/null
halfspace train knn -q iris.csv -o knn.hsp >/dev/null
sed -n '1p; /setosa/p' iris.csv >one.csv
sed -n '1p; s/setosa/nobody/p' iris.csv >none.csv
printf 'pass,objective\n1,2\n' >log.csv
printf 'problem,pass,objective,dual_objective,gap\na,1,x,2,3\n' >word.csv
echo '{"points": []}' >empty.json
for words in 'roc m.hsp one.csv' 'pr m.hsp one.csv' 'roc m.hsp none.csv' 'calibration m.hsp iris.csv' \
    'weights knn.hsp' 'weights m.hsp --units standardised' 'losses knn.hsp iris.csv' 'losses m.hsp' 'importance m.hsp iris.csv --score log-loss' \
    'learning svm one.csv' 'learning iris.csv --learner nobody' 'learning svm iris.csv --set D=1' 'learning svm iris.csv --set C' \
    'convergence log.csv' 'convergence word.csv' 'tuning empty.json' 'tuning log.csv' 'mistakes log.csv' 'mistakes m.hsp iris.csv'; do
    echo "$ $words"
    # shellcheck disable=SC2086 # words
    halfspace plot $words -q -o f.svg
done
