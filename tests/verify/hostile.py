#!/usr/bin/env python3
"""Small files that ask for hours or gigabytes: hostile.py BUILD. Each is refused, or done, in seconds and 200 MB."""
import hashlib, json, os, sys, tempfile

SECONDS, MEGABYTES = 6, 200  # of processor time: about 2 on an idle machine, in a plain build

def certificate(text, claims, columns=1, **more):
    data = {'file': 'x', 'sha256': hashlib.sha256(text.encode()).hexdigest(), 'rows': text.count('\n'), 'columns': columns, 'format': 'libsvm', 'index_base': 1,
            'negative': ['-1'], 'positive': ['1']} | more
    return {'format': 'halfspace certificate', 'version': 2, 'data': data, 'claims': claims}, text
def rows(n, value): return ''.join('%d 1:%s\n' % (1 if i % 2 else -1, value(i)) for i in range(n))
def gram(kernel, **more): return [{'claim': 'kernel', 'kernel': kernel, 'psd': True} | more]
run = {'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'none', 'order': 'cyclic', 'total': 1, 'separator': {'w': [[1, '1']]}, 'functional_margin': '1'}
winnow = {'claim': 'mistakes', 'learner': 'winnow', 'variant': 'winnow2', 'alpha': '1.0001', 'threshold': '1', 'order': 'cyclic', 'total': 1, 'separator': {'w': [[1, '1']]}}
both = '1 1:1\n-1 1:1\n'
experts = {'claim': 'mistakes', 'learner': 'experts', 'beta': '1/2', 'negated': True, 'tie': 'negative', 'total': 0, 'best': {'column': 1, 'negated': False, 'mistakes': '0'}}
labels = ['l%d' % i for i in range(200000)]
HOSTILE = {
    'powers of powers of numbers with 4,900 zeros': certificate(rows(40, lambda i: '1e4900'), gram(['power', 10, ['poly', 100, '1']])),
    'powers of numbers with 4,900 zeros': certificate(rows(40, lambda i: '1e4900'), gram(['poly', 100, '1'])),
    'the same, ten rows': certificate(rows(10, lambda i: '1e4900'), gram(['poly', 100, '1'])),
    'a sum of powers': certificate(rows(40, lambda i: '1e4900'), gram(['sum'] + [['poly', 100, '1']] * 60)),
    'experts of ten million columns, 10,000 passes': certificate(rows(4, lambda i: '1'), [experts | {'passes': 10000}], columns=10000000),
    'experts with a beta of thousands of digits': certificate(rows(40, lambda i: str(i % 3)), [experts | {'passes': 10000, 'beta': '1/' + '7' * 4000}], columns=3),
    'a vector of 2^27 columns': certificate('1 1:1\n', [{'claim': 'separable', 'offset': True, 'separator': {'w': [[134217728, '1']]}}], columns=4294967294),
    'a Gram matrix of 5,000 rows': certificate(rows(5000, lambda i: str(i)), gram(['linear'])),
    'a Gram matrix of 5,000 rows with exponentials': certificate(rows(5000, lambda i: str(i)), gram(['rbf', '1'], factor=[['1']] * 5000)),
    '200,000 labels': certificate('l7 1:1\n' * 20000, [{'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '1']]}}], positive=labels, negative=[]),
    'a perceptron that never ends': certificate(both, [run | {'passes': 999999999999999}]),
    'a perceptron on long numbers': certificate('1 1:1e4900\n-1 1:1e-4900\n', [run | {'passes': 999999999999999, 'functional_margin': '1'}]),
    'a kernel perceptron that never ends': certificate(rows(40, lambda i: str(i // 2)), [run | {'passes': 999999999999999, 'kernel': ['rbf', '1'], 'separator': {'rows': [[1, '1']]}}]),
    'Winnow that never ends': certificate(both, [winnow | {'passes': 999999999999999}]),
    'Winnow on fractions': certificate('1 1:0.3\n-1 1:0.3\n', [winnow | {'passes': 999999999999999}]),
    'ten thousand claims': certificate(rows(20000, lambda i: '1' if i % 2 else '-1'), [{'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '1']]}}] * 10000),
    'multipliers of 5,000 zeros': certificate(rows(2, lambda i: str(i)), [{'claim': 'not separable', 'offset': True, 'multipliers': [[i, '1e5000'] for i in range(1, 100001)]}]),
    'rows of 4,900 zeros, all of them updated': certificate(rows(60000, lambda i: '1e4900'), [run | {'order': 'sequence', 'sequence': list(range(1, 60001)), 'total': 60000}]),
    'weights with nothing in common': certificate('1 1:1\n-1 1:-1\n', [{'claim': 'separable', 'offset': True, 'separator': {'w': [[i, '1/%d' % (10**27 + 7919 * i * i)] for i in range(1, 5001)]}}], columns=5000),
}

def main(build):
    folder = tempfile.mkdtemp()
    paths, wrong = [os.path.join(folder, name) for name in ('cert', 'data')], 0
    for name, (cert, data) in HOSTILE.items():
        open(paths[0], 'w').write(json.dumps(cert))
        open(paths[1], 'w').write(data)
        for program in ('halfspace-verify', 'halfspace-verify-core'):
            child = os.fork()
            if not child:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1), os.dup2(null, 2)
                os.execv(os.path.join(build, program), [program, *paths])
            _, status, used = os.wait4(child, 0)
            status, seconds, megabytes = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            if '-v' in sys.argv: print('%-50s %-22s status %d, %.1f s, %.0f MB' % (name, program, status, seconds, megabytes))
            if status not in (0, 1, 3, 5) or seconds > SECONDS or megabytes > MEGABYTES:
                wrong += 1
                print('%s: %s: status %d, %.1f s, %.0f MB' % (name, program, status, seconds, megabytes), file=sys.stderr)
    print('%s %d small files that ask for hours or gigabytes are refused or done in %d s and %d MB' % ('FAILED' if wrong else 'ok', len(HOSTILE), SECONDS, MEGABYTES))
    return 1 if wrong else 0

if __name__ == '__main__': sys.exit(main(sys.argv[1]))
