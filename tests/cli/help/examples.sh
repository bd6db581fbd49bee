# Every example that the help of a command shows is a call that its options allow: without the files
# that they name the examples fail (status 4), or they work; status 2 is bad usage.
for command in $COMMANDS; do
    halfspace $command --help | sed -n '/^Examples:/,$s/^  \(halfspace .*\)/\1/p'
done | sed 's/--rows 1e6/--rows 10/; s/--trials 1000/--trials 2/' >examples
while IFS= read -r example; do
    sh -c "$example" >out 2>err </dev/null
    [ $? -ne 2 ] || { echo "$example" && cat err; }
done <examples
[ "$(wc -l <examples)" -ge 40 ] && echo "all examples can be called"
