#!/usr/bin/env python3
"""Do the two checkers agree? agree.py BUILD [CERTIFICATES [TAMPERINGS_EACH [SEED]]]

Certificates for random small data (produce.py) hold for both. Then digits, signs, rows and multipliers are changed at random;
what one checker rejects, the other rejects, too.
"""
import json, os, random, re, shutil, subprocess, sys, tempfile
import check, definition, produce

def schema():
    """What says whether a certificate has the form of docs/certificate.schema.json; None where Python lacks jsonschema."""
    try: import jsonschema
    except ImportError: return None
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/certificate.schema.json')
    return jsonschema.Draft202012Validator(json.load(open(path)))

def tamper(rng, text):
    """One change: as often in data and transform as in the claims."""
    start = text.index('"claims"')
    return tamper_numbers(rng, text, start) if rng.random() < .5 else tamper_reading(rng, text, start)

def tamper_numbers(rng, text, start):
    """A digit, a sign, a pair that goes, two numbers that change places; in the claims."""
    numbers = list(re.finditer(r'-?\d+(\.\d+)?(/\d+)?', text[start:]))
    at = rng.choice(numbers)
    a, b, old = start + at.start(), start + at.end(), at[0]
    way = rng.randint(0, 4)
    if way == 0: return text[:a] + (old[1:] if old[0] == '-' else '-' + old) + text[b:]
    if way == 1 and (pairs := list(re.finditer(r'\[\s*\d+,\s*"?-?[\d./]+"?\s*\],?', text[start:]))):
        p = rng.choice(pairs)
        return re.sub(r',(\s*\])', r'\1', text[:start + p.start()] + text[start + p.end():])
    if way == 2:
        other = rng.choice(numbers)[0]
        return text[:a] + other + text[b:]
    k = rng.choice([i for i, ch in enumerate(old) if ch.isdigit()])
    return text[:a] + old[:k] + rng.choice('0123456789') + old[k + 1:] + text[b:]

def tamper_reading(rng, text, start):
    """How the file is read: fields, values, labels, separator, header, missing values, the transform."""
    cert = json.loads(text)
    data = cert[rng.choice(['data', 'data', 'test'])] if 'test' in cert else cert['data']
    fields = data.get('fields', [])
    ways = [lambda: data.update(negative=data['positive'], positive=data['negative']),
            lambda: data.update(others=rng.choice(['drop', 'error', 'keep'])), lambda: data.update(columns=data['columns'] + rng.choice([-1, 1])),
            lambda: data['positive'].append(rng.choice(['1', '-1', 'b', 'yes', '7'])), lambda: data.update(rows=str(data['rows'])),
            lambda: cert.update(transform=[[1, '0', rng.choice(['0', '2', '-1', '1/3'])]]), lambda: data.pop(rng.choice(list(data)))]
    if 'index_base' in data: ways += [lambda: data.update(index_base=1 - data['index_base']), lambda: data.update(header=True)]
    if 'transform' in cert:
        item = rng.choice(cert['transform'])
        ways += [lambda: item.__setitem__(rng.randint(1, 2), rng.choice(['0', '-1', '5/2', '1e-3'])), lambda: cert['transform'].remove(item)]
    if fields:
        f = rng.choice(fields)
        ways += [lambda: data.update(separator=rng.choice(',;\t |1-.e"')), lambda: data.update(header=not data['header']),
                 lambda: data.update(missing=rng.choice(['error', 'drop', 'mean', 'indicator'])), lambda: rng.shuffle(fields),
                 lambda: f.update(kind=rng.choice(['label', 'ignored', 'number', 'category', 'ordinal'])), lambda: f.update(mean='-1000'),
                 lambda: f.update(codes=rng.random() < .5), lambda: f.update(unseen=True), lambda: f.update(indicator=True),
                 lambda: f.update(values=rng.choice([[], ['1', '1'], ['nowhere'], ['a', 'b']])), lambda: f.update(kind='ordinal', values=['0', '1', '2'], codes=True)]
        if 'values' in f: ways += [lambda: rng.shuffle(f['values']), lambda: f['values'].append('nowhere'), lambda: f['values'].pop()] * 2
    rng.choice(ways)()
    return json.dumps(cert, indent=1)

# ---- certificates of the command ----
MODELS = [['perceptron', '--passes', '20', '--offset', 'r2'], ['perceptron', '--passes', '3', '--margin-target', '0.5'], ['perceptron', '--passes', '9', '--soft', '0.5'], ['svm', '--keep-dual', '--gap', '1e-7'],
          ['svm', '--keep-dual', '--loss', 'squared', '--offset', 'none'], ['svm', '--keep-dual', '--kernel', 'rbf(0.3)', '--C', '2'],
          ['svm', '--keep-dual', '--kernel', 'poly(2,1)', '--gap', '1e-6']]
WINNOWS = [['winnow', '--delta', '0.2'], ['winnow', '--delta', '1', '--threshold', '1.5'], ['winnow', '--variant', 'winnow1'], ['winnow', '--variant', 'balanced', '--delta', '0.1', '--passes', '30'],
           ['winnow', '--variant', 'balanced', '--delta', '0.05', '--order', 'worst', '--scale', 'min-max']]
def commanded(build, seed, folder):
    """A certificate that `halfspace certify` makes of small random rows and perhaps of a model; None if it makes none."""
    rng, halfspace = random.Random(seed), os.path.join(build, 'halfspace')
    d, kind = rng.randint(1, 3), rng.choice(['separable', 'any', 'unit'])
    if kind == 'unit': d = rng.randint(2, 5)
    parts = [produce.draw(rng, rng.randint(4, 10), d, kind) for _ in range(2)]
    text, spec = (produce.as_libsvm if rng.random() < .6 else produce.as_csv)(rng, parts[0], d)
    while True:  # the second file is written in the same way
        other, same = (produce.as_libsvm if spec['format'] == 'libsvm' else produce.as_csv)(rng, parts[1], d)
        if same == spec: break
    data, test, model, cert = (os.path.join(folder, 'made.' + name) for name in ('data', 'test', 'hsp', 'cert'))
    for path, what in ((data, text), (test, other)): open(path, 'w', newline='').write(what)
    read = ['--format', spec['format'], '--features', str(d), '--index-base', str(spec['index_base'])] if spec['format'] == 'libsvm' else [
        '--format', 'csv', '--label', str(1 + [f['kind'] for f in spec['fields']].index('label')), '--header', 'yes' if spec['header'] else 'no']
    command, two = [halfspace, 'certify', '-q', data, '-o', cert] + read, False
    if rng.random() < .7:
        learner = rng.choice(WINNOWS if kind == 'unit' else MODELS)
        if subprocess.run([halfspace, 'train', learner[0], '-q', data, '-o', model] + learner[1:] + read, capture_output=True).returncode: return None
        command += ['--model', model]
        two = rng.random() < .5
        command += ['--test', test] if two else []
    elif rng.random() < .5: command += ['--kernel', rng.choice(['rbf(0.5)', 'poly(2,1)', 'linear+2'])]
    if rng.random() < .3: command += ['--offset', 'none']
    if os.path.exists(cert): os.remove(cert)
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 1): raise RuntimeError('%s: %s' % (' '.join(command), run.stderr))
    if not os.path.exists(cert): return None
    made = open(cert).read()
    return made, text, other if '"test"' in made else None

class Judges:
    def __init__(self, build, folder):
        self.program, self.paths = os.path.join(build, 'halfspace-verify'), [os.path.join(folder, name) for name in ('cert', 'data', 'test')]
        self.kept = self.both = self.wrong = self.made = self.core = self.defined = 0
        self.form = schema()
    def verdicts(self, texts):
        used = [p for p, t in zip(self.paths, texts) if t is not None]
        for p, t in zip(self.paths, texts):
            if t is not None: open(p, 'w', newline='').write(t)
        run = subprocess.run([self.program, *used], capture_output=True, text=True)
        self.others(run.returncode, used)
        return run.returncode, run.stderr.strip(), check.check(*used)
    def others(self, status, used):
        """The core says what the whole checker says, or that it is beyond it; so does the definition of what it defines."""
        if len(used) > 2: return
        run = subprocess.run([self.program + '-core', *used], capture_output=True, text=True)
        if run.returncode != 5 and (run.returncode == 0) != (status == 0): self.complain('core: status %d, not %d' % (run.returncode, status), run.stderr, open(used[0]).read())
        inside = run.returncode == 0 and '"libsvm"' in open(used[0]).read()
        self.core, self.defined = self.core + (run.returncode == 0), self.defined + inside
        if definition.holds(*used) != inside: self.complain('definition: not what the core says, status %d' % run.returncode, open(used[0]).read())
    def complain(self, *what):
        self.wrong += 1
        print(*what, file=sys.stderr)
    def judge(self, name, texts, rng, each):
        self.made += 1
        status, said, why = self.verdicts(texts)
        if self.form and not self.form.is_valid(json.loads(texts[0])): why = 'not of the form that the schema gives'
        if status or why: return self.complain('%s: status %d %s; second checker: %s' % (name, status, said, why))
        for _ in range(each):
            changed = tamper(rng, texts[0])
            status, said, why = self.verdicts((changed,) + texts[1:])
            if status not in (0, 1, 3) or (status == 0) != (why is None):
                self.complain('%s tampered with: status %d %s; second checker: %s' % (name, status, said, why), ' '.join(changed.split()))
            self.kept += status == 0
            self.both += status != 0

def main(build, count='120', each='6', seed='1'):
    folder = tempfile.mkdtemp()
    judges, first = Judges(build, folder), int(seed) * 1000000
    for i in range(first, first + int(count)): judges.judge('certificate %d' % i, produce.certificate(i), random.Random(i), int(each))
    for i in range(first, first + int(count) // 2):
        texts = commanded(build, i, folder)
        if texts: judges.judge('certify %d' % i, texts, random.Random(i), int(each))
    shutil.rmtree(folder)
    print('%s two checkers on %d certificates: %d tamperings rejected by both, %d left the claim true for both; the core and the definition accept %d and %d of these' %
          ('FAILED' if judges.wrong else 'ok', judges.made, judges.both, judges.kept, judges.core, judges.defined))
    return 1 if judges.wrong else 0

if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
