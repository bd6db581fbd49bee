# The numbers of curve figures are those of eval, cv, tune and train, and no file has NaN.
cp "$EXAMPLES/iris.csv" .
printf -- '+1 1:1\n-1 1:-1\n' >a.svm
printf '+1 1:2\n-1 1:0.5\n-1 1:-1\n+1 1:-2\n-1 1:0.5\n+1 1:0.5\n' >b.svm
halfspace train perceptron -q --passes until-converged a.svm -o m.hsp >/dev/null
halfspace train logistic -q --positive setosa iris.csv --ignore petal_length,petal_width -o two.hsp >/dev/null
halfspace train logistic -q iris.csv -o three.hsp >/dev/null
cat >look.py <<'END'
import json, subprocess, sys
def halfspace(*words):
    return subprocess.run(['halfspace', *words, '-q'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
def figure(*words):
    found = json.loads(halfspace('plot', *words, '--json', '-o', 'f.svg'))
    text = open('f.svg').read()
    assert 'nan' not in text.lower() and found['output'] == 'f.svg', words
    return found
def mark(found, kind, panel=0, start=''):
    return [m for m in found['panels'][panel]['marks'] if m['kind'] == kind and (m['name'] or '').startswith(start)]
def table(*words):
    lines = [line.split(',') for line in halfspace(*words).split('\n')[:-1]]
    return [[float(x) if x else None for x in line] for line in lines[1:]]
def near(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-12 for x, y in zip(a, b))
# ties of three rows are one step; the curve of eval has the same points
curve = table('eval', 'm.hsp', 'b.svm', '--curve', 'roc')
[drawn] = mark(figure('roc', 'm.hsp', 'b.svm'), 'line', start='AUC')
print(drawn['name'], near(drawn['x'], [p[1] for p in curve]), near(drawn['y'], [p[2] for p in curve]))
said = json.loads(halfspace('eval', 'two.hsp', 'iris.csv', '--json'))
print(mark(figure('roc', 'two.hsp', 'iris.csv'), 'line', start='AUC')[0]['name'] == f"AUC {round(said['auc'], 4):g}",
      mark(figure('pr', 'two.hsp', 'iris.csv'), 'line', start='AP')[0]['name'] == f"AP {round(said['average_precision'], 4):g}",
      mark(figure('calibration', 'two.hsp', 'iris.csv'), 'line', start='calibration')[0]['name'] ==
      f"calibration error {round(said['calibration_error'], 4):g}")
# the class of the other side has the same area
print(mark(figure('roc', 'two.hsp', 'iris.csv', '--class', 'rest'), 'line', start='AUC')[0]['name'])
bins = [b for b in table('eval', 'two.hsp', 'iris.csv', '--curve', 'calibration') if b[3] is not None]
[drawn] = mark(figure('calibration', 'two.hsp', 'iris.csv'), 'line', start='calibration')
print(near(drawn['x'], [b[3] for b in bins]), near(drawn['y'], [b[4] for b in bins]))
lift = table('eval', 'm.hsp', 'b.svm', '--curve', 'lift')
[drawn] = mark(figure('lift', 'm.hsp', 'b.svm'), 'line', start='lift')
print(drawn['name'], near(drawn['x'], [p[1] for p in lift]), near(drawn['y'], [p[2] for p in lift]))
print(len(mark(figure('roc', 'm.hsp', 'm.hsp', 'b.svm'), 'line', start='AUC')), 'models')
cells = json.loads(halfspace('eval', 'three.hsp', 'iris.csv', '--json'))['confusion']
[drawn] = mark(figure('confusion', 'three.hsp', 'iris.csv'), 'cells')
print(near(drawn['values'], [x / sum(row) for row in cells for x in row]))
[drawn] = mark(figure('importance', 'three.hsp', 'iris.csv'), 'bars')
said = json.loads(halfspace('eval', 'three.hsp', 'iris.csv', '--importance', '--json'))['importance']
print(near(drawn['x'], [one['mean'] for one in said]))
[drawn] = mark(figure('learning', 'logistic', 'iris.csv', '--sizes', '3', '--score', 'log-loss'), 'line', start='held out')
said = json.loads(halfspace('cv', 'logistic', 'iris.csv', '--score', 'log-loss', '--json'))
print(drawn['x'][-1] == 150 and near([drawn['y'][-1]], [said['score']]))
shown = figure('weights', 'two.hsp', '--units', 'file')
said = json.loads(halfspace('model', 'show', 'two.hsp', '--json'))
print(sorted(x for m in mark(shown, 'bars') for x in m['x']) ==
      sorted(w['file_weight'] for w in said['scorers'][0]['weights']), shown['panels'][0]['y']['categories'])
loss = figure('losses', 'two.hsp', 'iris.csv', '--loss', 'hinge')
said = json.loads(halfspace('eval', 'two.hsp', 'iris.csv', '--json'))['hinge_loss']
print(loss['note'].split(';')[0] == f'mean hinge loss {said:.6g} over 150 rows', len(mark(figure('losses'), 'line')))
END
python3 look.py
