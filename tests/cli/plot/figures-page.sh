# docs/figures.md and docs/plotting.md: their commands print what stands there. Those of the first write a figure for
# each image of the page.
page=$EXAMPLES/../docs/figures.md
cp "$EXAMPLES/iris.csv" .
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
sed -n '/^```console$/,/^```$/{/^```/!p;}' "$page" "$EXAMPLES/../docs/plotting.md" >told
sed -n 's/^\$ //p' told >commands
while IFS= read -r command; do
    printf '%s\n' "\$ $command"
    sh -c "$command" 2>&1 </dev/null
done <commands >found
diff told found && echo "the pages print what they say"
grep -o '](figures/[a-z0-9-]*\.svg)' "$page" | tr -d '()]' | while IFS= read -r figure; do
    [ -s "${figure#figures/}" ] || echo "$figure is not made"
    grep -q -i -E 'nan|inf[^o]' "${figure#figures/}" && echo "$figure has a number that is not finite"
done
sed -n 's/^| [a-z ]* | \(\[.*\) |$/\1/p' "$page" | grep -o '(#[^)]*)' | tr -d '(#)' | while IFS= read -r heading; do
    sed -n 's/^## //p' "$page" | tr 'A-Z ' 'a-z-' | grep -qx -- "$heading" || echo "#$heading: no such heading"
done
