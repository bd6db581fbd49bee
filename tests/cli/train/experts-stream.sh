# Experts learned from a stream have the weights of the file.
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace convert -q five.csv five.svm
weights() { halfspace model show --weights all --json "$1" | sed -n '/"weights"/,/]/p'; }
halfspace train experts -q --votes bit five.svm -o whole.hsp >/dev/null
halfspace train experts -q --votes bit --classes no,yes --stream five.svm -o stream.hsp | grep bound
weights whole.hsp >one && weights stream.hsp | cmp - one && echo "same weights"
halfspace audit -q stream.hsp five.svm | tail -n 1
