# Data that is hard to draw: one row, one class, constant columns, huge and tiny numbers, names that are markup or
# cannot be shown, one feature, fifty classes, categories on an axis, more rows than are drawn.
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
cat >look.py <<'END'
import sys, xml.etree.ElementTree as tree
text = open("o.svg", encoding="utf-8").read()
root = tree.fromstring(text.encode())
assert "nan" not in text.lower() and "inf" not in text and "<script" not in text
print(ascii(" | ".join(t.text for t in root.iter("{http://www.w3.org/2000/svg}text"))))
END
try()
{
    question "$1"
    shift
    halfspace plot -q "$@" -o o.svg && python3 look.py && halfspace plot -q "$@" >terminal && LC_ALL=C grep -c '[^ -~]' terminal
}
printf 'a,b,y\n1,2,p\n' >one.csv
try 'One row' one.csv
printf 'a,b,y\n5,0,p\n5,0,p\n' >constant.csv
try 'One class, constant columns' constant.csv
printf 'a,b,y\n-1e300,1e-300,p\n1e300,0,q\n' >huge.csv
try 'Huge and tiny numbers' huge.csv
printf '"<b>&""\001\033[31m","\342\200\256\377x",y\n1,2,<script>\n2,1,"]]>"\n' >names.csv
try 'Names' names.csv
printf 'a,y\n1,p\n2,q\n3,q\n' >line.csv
try 'One feature' line.csv
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 100; i++) print i % 8 "," i % 7 ",c" i % 50 }' >fifty.csv
try 'Fifty classes' fifty.csv
printf 'age,job,y\n20,cook,no\n30,nurse,yes\n40,pilot,yes\n50,cook,no\n' >jobs.csv
halfspace train logistic -q jobs.csv -o jobs.hsp >/dev/null
try 'Categories' jobs.hsp jobs.csv --x job --y age
halfspace make moons -q --rows 20000 -o moons.hsp 2>/dev/null
try 'A sample of the rows' moons.hsp --rows 500
