# A binary file keeps the precision that was chosen for the numbers when it was written.
printf 'x,y\n0.12345678901234567,a\n98765.432109876543,b\n+1.50,a\n8.007199254740991,b\n' >long.csv
halfspace convert -q long.csv long.hsp
halfspace inspect -q long.hsp | grep memory
printf 'ts,y\n1700000001,a\n1700000002,b\n' >ts.csv
halfspace convert -q ts.csv ts.hsp
halfspace inspect -q ts.hsp | grep memory
halfspace convert -q ts.hsp - --to csv
