# Rows of a group stay together.
printf 'who,x,y\nann,1,a\nbob,2,b\nann,3,a\neve,4,b\nbob,5,b\neve,6,a\ndan,7,a\nann,8,b\n' >visits.csv
halfspace split visits.csv tr.csv te.csv --group who --test 0.4
cut -d , -f 1 te.csv | sort | uniq -c
cut -d , -f 1 tr.csv | sort | uniq -c
