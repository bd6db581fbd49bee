# Text columns are hashed to features, in memory and in a stream; the model reads raw rows the same way.
cat >notes.csv <<'END'
note,city,amount,class
"Cheap offer, act now",New York,1,spam
Lunch on Friday?,Berlin,2,ham
offer ends NOW,new york,1,spam
"See you Friday, Ann",Paris,3,ham
END
question 'a number alone: every text column; names of features; one column alone'
halfspace convert -q notes.csv - --hash 8
halfspace convert -q notes.csv - --hash note=4 --ngrams 1 --to csv
question 'the model has the encoding'
halfspace train perceptron -q --hash 64 notes.csv -o m.hsp | head -n 1
halfspace predict -q m.hsp - <notes.csv
question 'a stream needs no list of categories, and learns the same'
halfspace train perceptron -q --passes 1 --hash 64 notes.csv -o whole.hsp >whole.txt
halfspace train perceptron -q --stream --hash 64 notes.csv -o stream.hsp | head -n 1
halfspace predict -q --scores whole.hsp notes.csv >whole.txt
halfspace predict -q --scores stream.hsp notes.csv | cmp - whole.txt && echo same
question 'an encoding, too, lets a table be streamed'
halfspace train perceptron -q --stream notes.csv 2>&1
halfspace convert -q notes.csv out.svm --save-encoding e.json
halfspace train perceptron -q --stream --encoding e.json notes.csv | head -n 1
question 'what is refused'
halfspace convert -q notes.csv - --hash note=0 2>&1
halfspace convert -q notes.csv - --hash nota=16 2>&1
halfspace convert -q notes.csv - --hash note --ignore note 2>&1
halfspace certify -q notes.csv --hash 8 2>&1
halfspace predict -q m.hsp notes.csv --encoding e.json 2>&1
