# A table is read as inspect advises; what was assumed is listed, and is part of the command.
awk 'BEGIN { print "id,age,plan,note,left"
    for (i = 1; i <= 120; i++) {
        age = (i * 37) % 60 + 18
        printf "c%04d,%s,%s,x,%s\n", i, i % 10 == 3 ? "N/A" : age, i % 3 ? "basic" : "gold", (age + i % 7 > 60) ? "yes" : "no"
    } }' >churn.csv
halfspace auto churn.csv -o churn.hsp 2>/dev/null | grep -v -e '^  logistic' -e '^  svm' -e '^  knn' -e '+-' -e mistakes
tail -n 3 churn.csv | cut -d , -f 1-4 >rows
(head -n 1 churn.csv; tail -n 3 churn.csv) | halfspace predict -q churn.hsp -
