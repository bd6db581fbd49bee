# Values 1e-300 apart: the squares of their differences are 0 in double precision.
printf 'x,y\n1e-300,a\n-1e-300,b\n3e-300,a\n-2e-300,b\n' >tiny.csv
for index in scan product; do
    halfspace train knn -q --k 1 --index $index --precision double tiny.csv -o m.hsp >/dev/null
    halfspace eval -q m.hsp tiny.csv | grep mistakes
    printf 'x,y\n2.5e-300,a\n-0.5e-300,b\n' >new.csv
    halfspace eval -q m.hsp new.csv | grep mistakes
done
