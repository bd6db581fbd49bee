# A control sequence in a name does not reach the terminal, in a table or in an error.
printf 'a\033[31mred,b\n1,x\n2,y\n' >names.csv
halfspace inspect -q names.csv | sed -n '/^Columns/,/^$/p' | od -c | grep -c 033
halfspace inspect -q names.csv | grep red
printf '1 1:\033[31m\n' | halfspace inspect - 2>&1 | od -c | grep -c 033
true
