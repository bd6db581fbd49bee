# The column of --time may be a feature by --date, whose format then also orders the rows.
awk 'BEGIN { print "when,x,y"
    for (i = 0; i < 40; i++)
        printf "%02d.%02d.2024,%d,%s\n", i % 28 + 1, 12 - int(i / 4), i * 7 % 11, (i * 7 % 11 + i / 8 > 6) ? "a" : "b" }' >rows.csv
halfspace cv logistic -q rows.csv --folds time:3 --time when --date when=%d.%m.%Y --json | sed -n '/"features"/p; /"rows"/p' | head -n 2
question 'As the time alone, or the date alone'
halfspace cv logistic -q rows.csv --folds time:3 --time when --json 2>&1 | sed -n '/"features"/p'
halfspace cv logistic -q rows.csv --date when=%d.%m.%Y:month --json | sed -n '/"features"/p'
