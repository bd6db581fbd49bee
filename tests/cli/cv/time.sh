# Folds in time: each is trained on the rows before it.
awk 'BEGIN { print "day,x,y,label"; for (i = 0; i < 24; i++) printf "2024-%02d-%02d,%d,1,%s\n", 1 + i * 5 % 12, 1 + i % 28, i * 7 % 5, (i * 7 % 5 > 1 ? "a" : "b") }' >days.csv
halfspace cv svm -q --folds time:3 --time day --held-out held.csv days.csv
question 'By the dates: rows of the first months are never held out'
tail -n +2 held.csv | cut -d, -f1,2 | while IFS=, read -r row fold; do echo "$fold $(sed -n "$((row + 1))p" days.csv | cut -c1-7)"; done | sort | uniq -c | sed 's/^ *//'
question 'In the order of the file'
halfspace cv svm -q --folds time --ignore day --held-out - days.csv 2>/dev/null | cut -d, -f1,2 | tr '\n' ' '; echo
question 'Tuning in time'
halfspace tune svm -q --folds time:2 --time day --tune C=0.1,1 days.csv | head -n 6
question 'Times that are no times, too few, groups in time'
halfspace cv svm -q --time label --label y --ignore day days.csv 2>&1; echo "exit $?"
halfspace cv svm -q --time x --ignore day --folds 6 days.csv 2>&1; echo "exit $?"
halfspace cv svm -q --time day --group x days.csv 2>&1; echo "exit $?"
