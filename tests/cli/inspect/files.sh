# Several files are looked at as one table.
printf 'x,c,y\n1,a,u\n2,b,v\n' >a.csv
printf 'x,c,y\n10,c,u\n"1,200",b,v\n3\n' >b.csv
printf 'x,d,y\n10,c,u\n' >c.csv
halfspace inspect -q a.csv b.csv
question 'A file that does not fit the first: the others are looked at'
halfspace inspect -q a.csv c.csv b.csv --all | sed -n '/table/p; /left out/,$p'
