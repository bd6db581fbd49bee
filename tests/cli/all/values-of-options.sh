# The value of an option is wrong: the message says which values are allowed; status 2.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
question 'There is no value'
try inspect --columns
question 'Words where a number is expected'
try inspect --columns many a
try inspect --threads=two a
try model show m --weights few
question 'Numbers out of range'
try inspect --threads 999 a
try make xor --noise 0.7
try make xor --rows 0
try make xor --rows 1.5
question 'A word that is none of the choices'
try inspect --storage dens a
try inspect --verify=maybe a
try train perceptron --order sideways a
