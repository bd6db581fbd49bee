# The place, what was found, what was expected; status 3, nothing on standard output.
bad()
{
    printf "$1" | halfspace convert $2 - - --to libsvm 2>err
    echo "exit $?: $(cat err)"
}
question 'libsvm text'
bad '1 1:2\n1 1:x\n'
bad '1 1:2\n-1 2:1 1:3\n'
bad '1 1:nan\n'
bad '1 1:1e999\n'
bad '1 1:\n'
bad 'nan 1:1\n'
bad '1 0:1 1:1\n-1 5\n'
question 'CSV'
bad 'a,b,y\n1,2,x\n3,y\n' '--format csv'
bad 'a,b,y\n1,,x\n3,4,y\n' '--format csv'
question 'convert writes no file'
printf '1 1:2\n1 1:x\n' >bad.svm
halfspace convert bad.svm good.svm
echo "exit $?"
ls
