# --precision rounds the numbers, because the user asks for it.
cat >wide.csv <<'CSV'
id,x,word,z,y
12345678901234567890,1e-400,red,-0.000,a
18446744073709551616,+1.50,blue,4e-324,b
12345678901234567891,,red,1.00000000000000000000000000001,a
CSV
printf 'x,y\n0.12345678901234567,a\n98765.432109876543,b\n+1.50,a\n8.007199254740991,b\n' >long.csv
halfspace convert --precision double wide.csv - --to csv --missing drop --ignore word --ignore x --ignore z 2>&1
halfspace convert -q --precision single long.csv - --to csv
