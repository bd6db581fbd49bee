# A name that does not exist: the message says what kind of name it is and suggests the nearest; status 2.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
question 'Commands'
try inspct
try frobnicate
try help nosuch
try version
try --versoin
question 'Generators, learners and actions'
try make nosuch
try make moon
try train perceptro a
try train data.svm
try model shwo m
question 'Options'
try inspect --colums 3 a
try inspect --zebra a
try inspect -z a
try inspect --no-storage a
question 'Options of another command'
try make xor --margin 1
try train perceptron --columns 3 a
try inspect --version
