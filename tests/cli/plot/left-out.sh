# What is not in the figure is said below it.
{ echo 'size,colour,class'; for i in $(seq 40); do echo "$((i * 7 % 11)),$([ $((i % 4)) = 0 ] && echo || { [ $((i % 3)) = 0 ] && echo red || echo blue; }),$([ $((i % 3)) = 0 ] && echo yes || echo no)"; done; } >t.csv
halfspace train logistic -q t.csv --missing mean -o m.hsp >/dev/null
question 'rows without a category on an axis of categories: 10 have none'
halfspace plot -q m.hsp t.csv --x size --y colour -o a.svg && grep -o '[0-9]* rows* not drawn[^<;]*' a.svg
printf 'size,colour,class\n1,red,yes\n2,green,no\n3,blue,no\n' >new.csv
halfspace plot -q m.hsp new.csv --x size --y colour -o a.svg 2>/dev/null && grep -o '[0-9]* rows* not drawn[^<;]*' a.svg
question 'a boundary and margin lines that do not cross the frame: s = x1 + x2 + x3 - 90'
printf 'solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n1\n1\n1\n-90\n' >far.txt
halfspace model import -q far.txt -o far.hsp
printf '1 1:1 2:2 3:100\n-1 1:2 2:1 3:0\n-1 1:3 2:5 3:0\n-1 1:2 2:4 3:0\n' >far.svm
halfspace plot -q far.hsp far.svm --x 1 --y 2 --show margins --height 8 | tail -5
question 'inside of it'
printf '1 1:1 2:200 3:0\n-1 1:2 2:1 3:0\n' >near.svm
halfspace plot -q far.hsp near.svm --x 1 --y 2 --show margins --height 8 | tail -3
