# PNG and PDF: the formats by their first bytes, and the same bytes every time.
cp "$EXAMPLES/iris.csv" .
halfspace plot -q iris.csv -o a.png 2>said || { grep -q 'need cairo' said && echo 'no cairo' && exit 77; }
halfspace plot -q iris.csv -o b.png && cmp a.png b.png
head -c 4 a.png | tail -c 3
echo
halfspace plot -q iris.csv --theme dark -o a.pdf && halfspace plot -q iris.csv --theme dark -o b.pdf && cmp a.pdf b.pdf
head -c 4 a.pdf
echo
