# docs/theory.md: its commands print what stands there, all commands are in blocks that are run, and
# every test that it names is there and is run.
page=$EXAMPLES/../docs/theory.md
cp "$EXAMPLES/iris.csv" .
if halfspace train lp iris.csv 2>&1 | grep -q 'no linear programming'; then
    echo 'built without CLP'
    exit 77
fi
halfspace certify -q --positive setosa iris.csv >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
sed -n '/^```console$/,/^```$/{/^```/!p;}' "$page" >told
sed -n 's/^\$ //p' told >commands
while IFS= read -r command; do
    printf '%s\n' "\$ $command"
    sh -c "$command" 2>&1 </dev/null
done <commands >found
diff told found && echo "the page prints what it says"
[ "$(wc -l <commands)" -ge 80 ] && echo "80 commands at least"
sed '/^```console$/,/^```$/d' "$page" | grep -E '^(    )?(\$ )?halfspace [a-z]'

# "**Tests:** `tests/a/test_b.c` `name`, `name`; `tests/...` ..." up to the next empty line.
sed -n '/^\*\*Tests:\*\*/,/^$/p' "$page" | grep -o '`[^`]*`' | tr -d '`' >names
file=
while IFS= read -r name; do
    case $name in
    tests/*) file=$EXAMPLES/../$name && [ -f "$file" ] || echo "$name is not there" ;;
    *) grep -q "RUN($name)" "$file" || echo "$name is no test of $file" ;;
    esac
done <names
[ "$(grep -c -v '^tests/' names)" -ge 100 ] && echo "100 tests at least"
[ "$(grep -c '^## [0-9]' "$page")" -eq "$(grep -c '^\*\*Tests:' "$page")" ] && echo "every section has its tests"

# "**Proved:** `proof/A.v` `name`, `name`; `proof/...` ..." up to the next empty line.
sed -n '/^\*\*Proved:\*\*/,/^$/p' "$page" | grep -o '`[^`]*`' | tr -d '`' >names
while IFS= read -r name; do
    case $name in
    proof/*) file=$EXAMPLES/../$name && [ -f "$file" ] || echo "$name is not there" ;;
    *) grep -qE "^(Theorem|Lemma|Corollary) $name( |\$)" "$file" || echo "$name is no theorem of $file" ;;
    esac
done <names

# Links lead to pages and to headings.
grep -o '](\([a-z-]*\.md\|#[^)]*\))' "$page" | tr -d '](),' | sort -u | while IFS= read -r link; do
    case $link in
    '#'*) sed -n 's/^##* //p' "$page" | tr 'A-Z ' 'a-z-' | tr -d '.,' | grep -qx "${link#?}" || echo "$link: no such heading" ;;
    *) [ -f "$EXAMPLES/../docs/$link" ] || echo "$link: no such page" ;;
    esac
done
