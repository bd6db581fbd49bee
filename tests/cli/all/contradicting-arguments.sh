# Arguments that exclude each other are refused before any file is opened; status 2.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
question 'Two outputs to the same place'
try make xor --rows 5 --json
try train perceptron --json a -o -
try predict m a --json
try split a b b
question 'Two sources of the same setting'
try scale a b --kind max-abs --apply s
