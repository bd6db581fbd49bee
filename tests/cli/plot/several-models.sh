# Each model reads the file in its own way, as eval lets it; models in one plane need the same features.
{ echo 'size,colour,class'; for i in $(seq 60); do echo "$((i * 7 % 11)),$([ $((i % 3)) = 0 ] && echo red || echo blue),$([ $((i % 3)) = 0 ] && [ $((i % 5)) != 0 ] && echo yes || echo no)"; done; } >t.csv
halfspace train logistic -q t.csv -o both.hsp >/dev/null
halfspace train logistic -q t.csv --ignore size -o colour.hsp >/dev/null
halfspace train logistic -q t.csv --hash colour=8 -o hashed.hsp >/dev/null
cat >look.py <<'END'
import json, subprocess
def halfspace(*words):
    return json.loads(subprocess.run(['halfspace', *words, '-q', '--json'], stdout=subprocess.PIPE).stdout)
models = ['both.hsp', 'colour.hsp', 'hashed.hsp']
seen = [halfspace('eval', m, 't.csv') for m in models]
for order in models, models[::-1]:
    names = [m['name'] for m in halfspace('plot', 'roc', *order, 't.csv')['panels'][0]['marks'] if (m['name'] or '').startswith('AUC')]
    print(sorted(names) == sorted(f"AUC {round(s['auc'], 4):g}, {m}" for s, m in zip(seen, models)))
panels = halfspace('plot', 'confusion', *models, 't.csv')['panels']
print([[int(m['text']) for m in p['marks'] if m['kind'] == 'text'] for p in panels] == [sum(s['confusion'], []) for s in seen])
END
question 'ROC and confusion: the numbers of eval for each model, in any order'
python3 look.py
question 'standard input is read once'
halfspace plot -q roc both.hsp colour.hsp - <t.csv 2>&1; echo "exit $?"
question 'one plane'
halfspace plot -q both.hsp colour.hsp t.csv 2>&1; echo "exit $?"
halfspace plot -q colour.hsp both.hsp t.csv 2>&1; echo "exit $?"
halfspace train svm -q t.csv -o svm.hsp >/dev/null
halfspace plot -q both.hsp svm.hsp t.csv -o two.svg && grep -c 'both.hsp' two.svg
