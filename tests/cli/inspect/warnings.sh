# One file for each thing to watch out for.
watch() { halfspace inspect -q "$@" | sed -n '/^What/,/^$/p'; }
echo "# one class"
printf '1 1:1\n1 1:2\n' | watch -
echo "# no labels"
printf 'a,b\n1,2\n3,5\n' >no.csv
watch no.csv --label none
echo "# contradictions, copies, zeros"
printf '1 1:1\n-1 1:1\n1 1:1\n-1\n' | watch -
echo "# columns: zeros, constant, copies"
printf '1 1:1 2:5 4:1\n-1 1:2 2:5 4:2\n-1 1:3 2:5 4:3\n-1 1:4 2:5 4:4\n1 1:6 2:5 4:6\n' | watch -
echo "# unbalanced, sorted"
{
    i=0
    while [ $i -lt 60 ]; do i=$((i + 1)) && echo "a 1:$i"; done
    echo "b 1:0.5" && echo "b 1:1.5"
} | watch -
echo "# wide"
printf '1 1:1 2:1000\n-1 1:0.5 2:-1000\n1 1:0.3 2:1\n' | watch -
echo "# more columns than rows"
printf '1 1:1 2:2\n-1 3:1\n' | watch -
echo "# many classes"
seq 1 40 | sed 's/.*/&.5 1:&/' | watch -
echo "# nothing"
printf '1 1:1 2:2\n-1 1:3 2:1\n1 1:2 2:3\n-1 1:1 2:3\n' | watch -
