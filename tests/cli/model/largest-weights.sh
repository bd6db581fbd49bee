# The weights that are listed are the largest; those of one column of the file stand together.
printf 'colour,size,y\nred,1,a\ngreen,1,b\nblue,9,b\nred,2,a\nblack,8,b\ngreen,9,b\nred,7,b\nblue,0,a\n' >t.csv
halfspace train svm -q t.csv -o m.hsp >out
list() { sed -n '/^Weights/,$p' | awk 'NF > 1 && !/^Weights/ { print ($2 < 0 ? -$2 : $2), $1 }'; }
halfspace model show m.hsp --weights all | list | sort -rn | head -n 3 | sort >largest
halfspace model show m.hsp --weights 3 | list | sort | cmp - largest && echo "the three largest"
halfspace model show m.hsp --weights 3 | sed -n '/^Weights/,$p'
