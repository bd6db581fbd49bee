# A pipe cannot be read twice, so its numbers become double precision: every number that this changes is reported.
printf 'x,y\n0.12345678901234567,a\n98765.432109876543,b\n+1.50,a\n8.007199254740991,b\n' >long.csv
cat >wide.csv <<'CSV'
id,x,word,z,y
12345678901234567890,1e-400,red,-0.000,a
18446744073709551616,+1.50,blue,4e-324,b
12345678901234567891,,red,1.00000000000000000000000000001,a
CSV
printf 'b 0:1e-400 3:0.10 7:0.12345678901234567 # a\na 2:12345678901234567891 3:00012345678901234567890.50e1\n# all\n' >zero.svm
cat long.csv | halfspace convert -q - - --to csv 2>&1
cat wide.csv | halfspace convert -q - - --to csv --missing drop 2>&1
cat wide.csv | halfspace convert -q - - --to csv --missing drop --ignore id --ignore x --ignore z 2>&1
cat zero.svm | halfspace convert -q - - --to libsvm 2>&1
printf 'a 1:0.12345678901234567890123 2:0.5\n' | halfspace convert - - --to libsvm 2>&1
printf 'a 1:0.125000000000000000000000 2:0.1000000000000000055511151231257827 3:1e-7\n' | halfspace convert -q - - --to libsvm 2>&1
