# The audit of experts counts the mistakes again, and says which models it cannot audit.
cp "$EXAMPLES/iris.csv" .
printf 'a,b,c,d,e,class\n1,1,0,0,0,yes\n1,0,1,1,0,yes\n0,1,1,1,0,no\n1,0,0,1,1,yes\n0,0,1,1,1,no\n0,1,0,1,1,no\n' >five.csv
halfspace train experts -q five.csv -o five.hsp >/dev/null
question 'A model that claims fewer mistakes'
sed 's/"fact.mistakes":"2"/"fact.mistakes":"1"/' five.hsp >tampered.hsp
halfspace audit -q tampered.hsp five.csv | grep -E 'EXCEEDED'
question 'A reference, which experts do not need; a model of three classes'
halfspace train experts -q --scale standard --negated iris.csv -o iris.hsp >/dev/null
halfspace audit -q five.hsp five.csv --reference five.hsp 2>&1
halfspace audit -q iris.hsp iris.csv 2>&1
