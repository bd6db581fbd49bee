# The examples in the pages print what stands there, and the tables of commands.md have every key.
docs=$EXAMPLES/../docs/commands.md
cp "$EXAMPLES/iris.csv" "$EXAMPLES/weather.csv" .
sed -n '/^```console$/,/^```$/{/^```/!p;}' "$EXAMPLES"/../README.md "$docs" "$EXAMPLES"/../docs/svm.md "$EXAMPLES"/../docs/kernels.md "$EXAMPLES"/../docs/logistic.md "$EXAMPLES"/../docs/certifying.md "$EXAMPLES"/../docs/winnow.md "$EXAMPLES"/../docs/experts.md "$EXAMPLES"/../docs/comparing-online.md "$EXAMPLES"/../docs/knn.md "$EXAMPLES"/../docs/generalisation.md >told
sed -n 's/^\$ //p' told >commands
while IFS= read -r command; do
    printf '%s\n' "\$ $command"
    sh -c "$command" 2>&1 </dev/null
done <commands >found
diff told found && echo "$(wc -l <commands) examples are right"
for command in train cv tune predict neighbors eval audit bound certify verify plot model learners inspect convert split scale kernel make; do
    halfspace help --man $command | sed -n '/^\.SH JSON/,/^\.SH EXIT/s/^\\fB\(.*\)\\fR/\1/p' |
        tr -d ' ' | tr ',' '\n' | while read -r key; do
        sed -n "/^## $command/,/^## /p" "$docs" | grep -q "\`$key\`" || echo "$command: $key is missing"
    done
done
