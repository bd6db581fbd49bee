# How words became numbers is kept, and later files are read the same way.
halfspace convert -q --missing mean "$EXAMPLES/weather.csv" train.svm --save-encoding e.json
head -n 2 "$EXAMPLES/weather.csv" >later.csv
echo 'snowy,hot,70,weak,no' >>later.csv
halfspace convert -q later.csv later.svm --encoding e.json
cat later.svm
head -n 1 train.svm
halfspace convert -q train.svm x.svm --save-encoding f.json
echo "exit $?"
ls
