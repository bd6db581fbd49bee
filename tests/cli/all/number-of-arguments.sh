# Too few or too many arguments: the message shows the usage; status 2.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
question 'An argument is missing'
try inspect
try convert a
try train perceptron
try predict m
try eval m
try model show
question 'There is one argument too many'
try certify a b
try make xor surplus
try plot m a b
try learners a
question 'An option that the command needs is missing'
try model form m
try model form m --to unit
question 'Without an action, the actions are listed (status 0)'
try model
