# Rows that cannot be read are left out, counted and kept, if the user says so.
printf 'id;price;job;c\n1;2,5;a;y\n2;3;b\n3;1.000,5;"a;y\n4;7;b;n\n5;x;b;n\n6;8;a;y\n' >rows.csv
for i in 10 11 12 13 14 15 16 17; do echo "$i;$i,5;b;n" >>rows.csv; done
set -- --decimal comma --thousands point --on-error skip
halfspace convert rows.csv out.csv "$@" --rejects rejected.csv --save-encoding e.json 2>&1
echo "exit $?"
cat out.csv rejected.csv
question 'Rows that are mended are read with the others'
sed 's/"a/a/; s/;x;/;9;/; s/;3;b$/;3;b;n/' rejected.csv >mended.csv
halfspace convert -q mended.csv out.csv --encoding e.json --ignore line,reason --rejects none.csv --on-error skip
cat out.csv none.csv
question 'Without --on-error skip: the first such row, and no file'
halfspace convert -q rows.csv no.csv --decimal comma 2>&1
halfspace convert -q rows.csv no.csv --decimal comma --rejects no.csv 2>&1
halfspace convert -q rows.csv out.csv "$@" --rejects rows.csv 2>&1
ls
