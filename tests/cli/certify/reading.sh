# How the data are read is part of the certificate.
printf 'color,size,code,x,y\nred,small,1,0.5,caf\351\nblue,large,2,1.5,tea\nred,medium,2,2.5,tea\ngreen,large,1,0.1,caf\351\n' >t.csv
halfspace certify -q t.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
question 'Categories, ordinal values, numbers as codes, labels that are not UTF-8'
halfspace certify -q t.csv --ordinal 'size=small<medium<large' --categorical code -o t.cert | grep -v '^claim'
grep -E 'hex|codes|values' t.cert
halfspace verify t.cert t.csv | tail -n 1
question 'Labels that are not UTF-8 in libsvm text'
printf 'caf\351 1:1\ntea 1:2\n' >t.svm
halfspace certify -q t.svm -o t.cert | grep positive
grep -o '"negative".*"others"' t.cert
question 'Values that the model knows and no row has; data and test rows are described alike'
sed 's/caf./coffee/' t.csv >k.csv
printf 'color,size,code,x,y\nred,small,1,0.7,coffee\nblue,large,2,1.6,tea\n' >test.csv
halfspace train svm -q --keep-dual --ordinal 'size=small<medium<huge<large' --categorical code k.csv -o k.hsp >/dev/null
halfspace certify -q k.csv --model k.hsp --test test.csv --ordinal 'size=small<medium<huge<large' --categorical code --claim error -o k.cert | grep -E '^(data|test): (field|1 of)'
grep -c '"unseen": true' k.cert
