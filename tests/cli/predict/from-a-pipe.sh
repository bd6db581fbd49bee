# From a pipe, each row is answered before the next one is written, with and without --line-buffered.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
cat >ask.py <<'END'
# Write a row, read its answer, then write the next one.
import select, subprocess, sys
file, heads, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
run = subprocess.Popen(['halfspace', 'predict', *words, '-', '-q'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
answers = []
for i, row in enumerate(open(file, 'rb')):
    run.stdin.write(row)
    run.stdin.flush()
    if i or not heads or 'csv' in words:
        if not select.select([run.stdout], [], [], 20)[0]:
            sys.exit(f'no answer to row {i}')
        answers.append(run.stdout.readline())
run.stdin.close()
rest = run.stdout.read()
whole = subprocess.run(['halfspace', 'predict', *words, file, '-q'], stdout=subprocess.PIPE).stdout
print(run.wait(), len(answers), rest, b''.join(answers) == whole)
END
head -n 12 "$EXAMPLES/iris.csv" >rows.csv
halfspace convert -q "$EXAMPLES/iris.csv" iris.svm
head -n 12 iris.svm >rows.svm
halfspace train svm -q "$EXAMPLES/iris.csv" -o csv.hsp >/dev/null
halfspace train svm -q iris.svm -o svm.hsp >/dev/null
halfspace train knn -q iris.svm -o knn.hsp >/dev/null
for how in '' --line-buffered; do
    python3 ask.py rows.csv 1 csv.hsp --scores $how
    python3 ask.py rows.csv 1 csv.hsp --output-format csv --keep species $how
    python3 ask.py rows.svm 0 svm.hsp --scores $how
    python3 ask.py rows.svm 0 knn.hsp --threads 3 $how
done
question 'A row in two pieces, a quoted newline, a last row without an end'
printf 'id,x,y\n1,1,a\n2,-1,b\n' >t.csv
halfspace train perceptron -q --passes until-converged --ignore id t.csv -o t.hsp >/dev/null
{
    printf 'id,x\n"first\n'; sleep 0.05; printf 'row",2'; sleep 0.05; printf '\n3,'; sleep 0.05; printf -- '-7'
} | halfspace predict -q t.hsp - --output-format csv --keep id
question 'A pipe that closes before the first row'
printf 'id,x\n' | halfspace predict -q t.hsp - --output-format csv --keep id
