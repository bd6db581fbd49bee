# What is converted keeps its digits.
echo '# two accounts'
printf 'acct,x,y\n123456789,0.1,a\n123456790,0.5,b\n' | halfspace convert -q - - --to csv
echo '# 17 digits'
printf 'x,y\n0.12345678901234567,a\n98765.432109876543,b\n' >long.csv
halfspace convert -q long.csv - --to csv
halfspace convert -q long.csv long.svm
cat long.svm
echo '# scaled by powers of two, in double precision'
printf 'x,y\n0.123456789,a\n8,b\n' >two.csv
halfspace scale -q two.csv - --to csv --kind max-abs
echo '# more than a double holds: said'
printf 'id,y\n12345678901234567890,a\n1,b\n' >id.csv
halfspace convert id.csv - --to csv 2>&1
printf 'a 1:0.12345678901234567890123\n' | halfspace convert - - --to libsvm 2>&1
echo '# a binary file keeps the precision that was chosen'
halfspace convert -q long.csv long.hsp
halfspace inspect -q long.hsp | grep memory
printf 'ts,y\n1700000001,a\n1700000002,b\n' >ts.csv
halfspace convert -q ts.csv ts.hsp
halfspace inspect -q ts.hsp | grep memory
halfspace convert -q ts.hsp - --to csv
