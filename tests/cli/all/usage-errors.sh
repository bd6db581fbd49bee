# Each says what is wrong and what was meant, and ends with status 2.
try()
{
    echo "\$ halfspace $*"
    halfspace "$@" 2>&1
    echo "exit $?"
}
try inspct
try frobnicate
try inspect
try inspect a b
try convert a
try inspect --colums 3 a
try inspect --zebra a
try inspect -z a
try inspect --columns
try inspect --columns many a
try inspect --storage dens a
try inspect --threads 999 a
try inspect --threads=two a
try inspect --verify=maybe a
try inspect --no-storage a
try make nosuch
try make moon
try make xor --margin 1
try make xor --noise 0.7
try make xor --rows 0
try make xor --rows 1.5
try make xor surplus
try make xor --rows 5 --json
try split a b b
try scale a b --kind max-abs --apply s
try help nosuch
try inspect --version
try version
try --versoin
try train perceptro a
try train data.svm
try train perceptron
try train perceptron a b
try train perceptron --order sideways a
try train perceptron --json a -o -
try train perceptron --columns 3 a
try predict m
try predict m a b
try predict m a --json
try eval m
try audit m a
try plot m a b
try model
try model shwo m
try model show
try model show m --weights few
try model form m
try model form m --to unit
try learners a
