# Equal rows of two classes are not separable, however many columns there are.
printf 'p,q,r,s,c\n1,2,3,4,a\n1,2,3,4,b\n1,2,3,5,b\n' >same.csv
printf 'p,q,r,s,c\n1,2,3,4,a\n1,2,3,9,b\n1,2,3,5,b\n' >other.csv
for file in same other; do halfspace inspect -q $file.csv | grep -oE 'another class|more columns than rows'; done
