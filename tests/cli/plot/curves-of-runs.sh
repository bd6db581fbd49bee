# Figures of logs, traces and tuning: curves, bounds and what is marked.
cp "$EXAMPLES/iris.csv" .
halfspace make separable -q --rows 80 --features 2 --margin 0.1 --seed 3 -o sep.svm
halfspace train svm -q --hard --offset none sep.svm -o star.hsp >/dev/null
halfspace train perceptron -q --offset none --passes until-converged sep.svm --trace run.csv --reference star.hsp -o run.hsp | grep updates
halfspace train perceptron -q --offset none --order shuffle --passes until-converged sep.svm --trace mixed.csv -o mixed.hsp >/dev/null
halfspace audit -q run.hsp sep.svm | grep '  radius .*held'
printf 'a,b,c,l\n1,0,1,x\n0,1,1,y\n1,1,1,x\n0,0,0,y\n' >e.csv
halfspace train experts -q e.csv --trace experts.csv >/dev/null
halfspace train svm -q iris.csv --convergence three.csv >/dev/null
halfspace train logistic -q iris.csv --positive setosa --convergence one.csv >/dev/null
halfspace tune svm -q iris.csv --tune C=0.01:100:log:5 --json >curve.json
halfspace tune svm -q iris.csv --tune C=0.1,1,10 --tune loss=hinge,squared --json -o tuned.hsp >map.json
cat >show.py <<'END'
import json, subprocess, sys
def figure(*words):
    out = subprocess.run(['halfspace', 'plot', *words, '--json', '-q'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = json.loads(out.stdout)
    print('$', *words)
    for panel in found['panels']:
        x, y = panel['x'], panel['y']
        print(' ', x['label'], '(log)' if x['log'] else '', '|', y['label'], '(log)' if y['log'] else '')
        for mark in panel['marks']:
            if mark['name']: print('   ', mark['kind'], mark['name'], len(mark['x']) if mark['kind'] != 'rule' else '')
    if found['note']: print(' ', found['note'])
    return found
figure('mistakes', 'run.csv')
figure('mistakes', 'mixed.hsp', 'sep.svm', 'mixed.csv')
figure('mistakes', 'experts.csv')
figure('convergence', 'one.csv')
figure('convergence', 'one.csv', 'three.csv')
figure('tuning', 'curve.json')
found = figure('tuning', 'map.json')
print(figure('tuning', 'tuned.hsp') == found)
told = json.load(open('map.json'))
scores = {(p['values']['C'], p['values']['loss']): p['score'] for p in told['points']}
panel = found['panels'][0]
[cells] = [m for m in panel['marks'] if m['kind'] == 'cells']
print(cells['values'] == [scores[c, l] if panel['y']['label'] == 'C' else scores[l, c]
                          for c in panel['y']['categories'] for l in panel['x']['categories']])
END
python3 show.py
question 'the candidates of auto: the best of each learner that were measured as the chosen one was'
cat >auto.json <<'END'
{"choose":"best","score":"auc","options":["learner","options"],"points":[
{"values":["svm","--C 1"],"rows":90,"folds":3,"score":0.99,"score_standard_error":0.1},
{"values":["knn","--k 3"],"rows":90,"folds":3,"score":0.5,"score_standard_error":0.1},
{"values":["svm","--C 1"],"rows":90,"folds":9,"score":0.7,"score_standard_error":0.1},
{"values":["logistic","--C 1"],"rows":90,"folds":9,"score":0.8,"score_standard_error":0.1},
{"values":["logistic","--C 9"],"rows":90,"folds":9,"score":0.75,"score_standard_error":0.1}],"best":3,"chosen":3}
END
halfspace plot -q tuning auto.json --json | tr -d ' \n' | grep -o '"title":"[A-Z][^"]*"\|"categories":\["[^]]*\]\|"note":"[^"]*"\|"name":"\(mean\|chosen\)[^}]*'
question 'options of the learner are set'
halfspace plot -q learning logistic auto.json --scale standard 2>&1; echo "exit $?"
halfspace plot -q learning logistic auto.json --C 3 2>&1 | grep set
