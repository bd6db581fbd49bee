# SVG of rows and models: well-formed, finite, and the same for any number of threads.
cp "$EXAMPLES/iris.csv" .
halfspace train svm -q iris.csv -o m.hsp >/dev/null
halfspace train svm -q --kernel 'rbf(1)' --classes versicolor,virginica iris.csv -o k.hsp >/dev/null
check()
{
    halfspace plot -q --threads 1 "$@" -o one.svg && halfspace plot -q --threads 2 "$@" -o two.svg && cmp one.svg two.svg &&
        python3 -c '
import sys, xml.etree.ElementTree as tree
text = open("one.svg", encoding="utf-8").read()
root = tree.fromstring(text.encode())
name = "{http://www.w3.org/2000/svg}"
assert root.tag == name + "svg" and root.get("role") == "img" and root.find(name + "title") is not None
assert "nan" not in text.lower() and "inf" not in text
print(*(t.text for t in root.iter(name + "text")), sep=" | ")'
}
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
question 'Two features'
check m.hsp iris.csv --x petal_length --y 4 --theme dark
question 'Principal axes'
check m.hsp iris.csv
question 'Data alone'
check iris.csv --x 1 --y 2 --title '<Iris> & co'
question 'A kernel model: shades'
check k.hsp iris.csv --x 3 --y 4
question 'Two models in one figure'
halfspace train logistic -q iris.csv -o l.hsp >/dev/null
check m.hsp l.hsp iris.csv --x 3 --y 4
question 'Several ways to be wrong'
{
halfspace plot -q iris.csv -o iris.gif
halfspace plot -q m.hsp -o x.svg
halfspace plot -q iris.csv iris.csv
halfspace plot -q iris.csv --show zebra
halfspace plot -q iris.csv --x 1
halfspace plot -q iris.csv -o iris.csv
ls ./*.gif
} 2>&1 | sed "s/: cannot access.*/: none/"
