# Numbers with more digits than double precision holds: inspect says that its figures are about the
# stored numbers.
printf 'x,y,c\n12345678901234567.1,0.12345678901234567891,a\n12345678901234567.2,0.12345678901234567893,b\n12345678901234567,0.12345678901234567890,a\n' >mixed.csv
halfspace inspect mixed.csv 2>&1 | grep -E 'have more|Features|because'
halfspace inspect -q --json mixed.csv 2>/dev/null | grep '"numbers"'
