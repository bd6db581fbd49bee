# Whatever is wrong with a table, it is looked at: status 0, and a sentence says what is wrong.
look()
{
    question "$1"
    printf "$2" | halfspace inspect -q --format csv - 2>&1 | sed -n '/^What/,$p' | sed '/^$/d; /^The rows as/,$d'
    printf "$2" | halfspace inspect -q --format csv - >/dev/null 2>&1 || echo "exit $?"
}
look 'ragged rows' 'a,b,y\n1,2,u\n1,2\n3,4,v\n5,6,7,u\n'
look 'stray quotes' 'a,b,y\n1,2,u\n"1"x,2,v\n3,4,v\n'
look 'a quote that is never closed' 'a,b,y\n1,2,u\n2,"3,v\n3,4,v\n'
look 'no rows' 'a,b,y\n'
look 'one column' 'word\nred\nblue\nred\n'
question 'not text'
printf '\377\376a\000,\000b\000\n\000' >utf16.csv
halfspace inspect utf16.csv
echo "exit $?"
printf 'a,b\n\000\001,2\n' >binary.csv
halfspace inspect -q binary.csv | head -n 2
: >empty.csv
halfspace inspect empty.csv
echo "exit $?"
question 'a label that is not there'
printf 'churn,x\n0,1.5\n1,2.5\n0,3.5\n' >label.csv
halfspace inspect -q label.csv --label Nothing | grep -E 'There is|label: '
question 'looking twice at a pipe, and reading it'
halfspace make -q separable --rows 3000 --features 40 -o a.csv
cat a.csv | halfspace inspect -q - --json --columns 0 | grep -E '"(rows|features)"'
