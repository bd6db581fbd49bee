# What there is: on request to standard output with status 0, otherwise to standard error with 2.
halfspace --help
halfspace help >help && halfspace --help | cmp - help
halfspace >out 2>err
echo "exit $?"
cmp err help
cat out
