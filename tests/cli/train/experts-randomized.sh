# Randomised predictions depend on the seed only.
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace train experts -q --randomized --seed 7 five.csv >one
halfspace train experts -q --randomized --seed 7 five.csv | cmp - one && grep -E 'expected' one
