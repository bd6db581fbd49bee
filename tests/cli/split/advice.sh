# The options that inspect prints for split can be pasted; the label's column is named.
{
    echo 'id,age,joined,answer'
    for i in 1 2 3 4 5 6 7 8; do
        echo "c$i,$((20 + i)),2024-01-0$i,yes"
        echo "d$i,$((30 + i)),2024-02-0$i,NO"
    done
    echo 'e1,20,2024-03-01,YES'
    echo 'e2,21,2024-03-02,no'
} >rows.csv
line=$(halfspace inspect -q rows.csv | sed -n 's/^  to split it *//p')
echo "$line"
halfspace split rows.csv train.csv test.csv $line 2>&1
cut -d , -f 4 test.csv | sort | uniq -c
question 'A label that is named; a label that is also ignored'
halfspace split rows.csv train.csv test.csv --label age 2>&1
halfspace split rows.csv train.csv test.csv --ignore answer 2>&1
question 'Marks of missing labels; letters beyond A to Z'
printf 'x,y\n1,ÉTÉ\n2,été\n3,Été\n4,unknown\n5,ЗИМА\n6,зима\n' >fr.csv
halfspace split --json --ignore-case --na unknown fr.csv train.csv test.csv 2>/dev/null | grep -e '"été"' -e '"зима"' -e '"label"' -e unlabelled
