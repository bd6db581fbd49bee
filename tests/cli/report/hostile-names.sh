# Names from the user's file are text in the page, never HTML: a label, a feature, a file, a title.
name='</script><b onclick="x">'
quoted=$(printf '%s' "$name" | sed 's/"/""/g')
{
    printf 'x,"%s",class\n' "$quoted"
    for i in 1 2 3 4 5; do printf '%s,1,"%s"\n%s,2,plain\n' "$i" "$quoted" "-$i"; done
} >"a<b>.csv"
halfspace train perceptron -q "a<b>.csv" -o m.hsp >/dev/null
halfspace report -q m.hsp "a<b>.csv" --title '<h1>&amp;' -o page.html >/dev/null
question "no tag of these names"
grep -cE '<b onclick|</script>|<h1>&amp;<|a<b>' page.html
question "but their text"
grep -oE '<h1>.*</h1>' page.html
grep -cE '&lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;' page.html | sed 's/[1-9][0-9]*/many/'
question "bytes that are not UTF-8, and control characters"
printf 'a\377b,class\n1,\033[31m\n2,z\n3,\033[31m\n4,z\n' >bytes.csv
halfspace train perceptron -q bytes.csv -o m.hsp >/dev/null 2>&1
halfspace report -q m.hsp bytes.csv -o page.html >/dev/null 2>&1
iconv -f utf-8 -t utf-8 page.html >/dev/null && echo "valid UTF-8"
LC_ALL=C grep -c "$(printf '\033')" page.html
