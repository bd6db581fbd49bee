# A file without rows has no answers: only the header of the format.
printf 'id,x,label\n1,1,yes\n2,-1,no\n' >t.csv
halfspace train logistic -q t.csv --ignore id -o m.hsp >/dev/null
head -n 1 t.csv >names.csv
: >empty.csv
for file in names.csv empty.csv - /dev/null; do
    question "$file"
    halfspace predict m.hsp $file --output-format csv --keep id 2>err </dev/null; echo "status $?"
    tail -n 1 err
    halfspace predict -q m.hsp $file </dev/null; echo "status $?"
done
