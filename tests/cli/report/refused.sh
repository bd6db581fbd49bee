# What a report cannot be made of.
cp "$EXAMPLES/iris.csv" .
halfspace train logistic -q iris.csv -o iris.hsp >/dev/null
try() { halfspace report -q "$@"; echo "exit $?"; }
{
    question "no page named"
    try iris.hsp iris.csv
    question "rows without labels"
    cut -d, -f1-4 iris.csv >unlabelled.csv
    try iris.hsp unlabelled.csv -o page.html
    question "no rows"
    head -n 1 iris.csv >empty.csv
    try iris.hsp empty.csv -o page.html
    question "swapped"
    try iris.csv iris.hsp -o page.html
    question "standard input"
    try iris.hsp - -o page.html <iris.csv
    question "the page is one of the files"
    try iris.hsp iris.csv -o iris.csv
    question "no such test file"
    try iris.hsp iris.csv --test none.csv -o page.html
    question "a certificate that is none"
    try iris.hsp iris.csv --certificate iris.csv -o page.html
} 2>&1
ls page.html 2>/dev/null
true
