# The examples in the pages print what stands there, and the tables of commands.md are those of the command.
docs=$EXAMPLES/../docs/commands.md
cp "$EXAMPLES/iris.csv" "$EXAMPLES/weather.csv" "$EXAMPLES/churn.csv" .
sed -n '/^```console$/,/^```$/{/^```/!p;}' "$EXAMPLES"/../README.md "$docs" "$EXAMPLES"/../docs/svm.md "$EXAMPLES"/../docs/kernels.md "$EXAMPLES"/../docs/logistic.md "$EXAMPLES"/../docs/certifying.md "$EXAMPLES"/../docs/winnow.md "$EXAMPLES"/../docs/experts.md "$EXAMPLES"/../docs/comparing-online.md "$EXAMPLES"/../docs/knn.md "$EXAMPLES"/../docs/generalisation.md "$EXAMPLES"/../docs/predicting.md "$EXAMPLES"/../docs/tutorial.md "$EXAMPLES"/../docs/reporting.md "$EXAMPLES"/../docs/auto.md >told
sed -n 's/^\$ //p' told >commands
while IFS= read -r command; do
    printf '%s\n' "\$ $command"
    sh -c "$command" 2>&1 </dev/null
done <commands >found
diff told found && echo "the examples are right"
"$EXAMPLES/../tools/result-tables" --check "$(command -v halfspace)" && echo "the tables of keys and the schema are current"
