#!/usr/bin/env python3
"""Writes tests/verify/cases: certificates made by hand so that every number in them is as good as can be, and any change makes
them false (test_tamper.c says which). Nothing runs this but people who change a case."""
import hashlib, json, os, sys
sys.dont_write_bytecode = True
import check

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases')

def libsvm(rows):
    text = ''.join('%+d %s\n' % (y, ' '.join('%d:%s' % (j, v) for j, v in enumerate(x, 1) if v != '0')) for y, x in rows)
    return text, {'format': 'libsvm', 'index_base': 1, 'negative': ['-1'], 'positive': ['1']}
def csv(rows):
    text = ','.join('x%d' % j for j in range(len(rows[0][1]))) + ',class\n' + ''.join(','.join(x) + ',' + ('yes' if y > 0 else 'no') + '\n' for y, x in rows)
    fields = [{'kind': 'number'} for _ in rows[0][1]] + [{'kind': 'label'}]
    return text, {'format': 'csv', 'separator': ',', 'header': True, 'fields': fields, 'negative': ['no'], 'positive': ['yes']}

def case(name, rows, claims, test=None, form=libsvm):
    cert, paths = {'format': 'halfspace certificate', 'version': 2}, [os.path.join(here, name + '.json')]
    for what, part in (('data', rows), ('test', test)):
        if part is None: continue
        part = [(y, x.split()) for y, x in part]
        text, spec = form(part)
        path = os.path.join(here, name + '.' + what)
        open(path, 'w').write(text)
        paths.append(path)
        cert[what] = {'file': name + '.' + what, 'sha256': hashlib.sha256(text.encode()).hexdigest(), 'rows': len(part), 'columns': len(part[0][1])} | spec
    cert['claims'] = claims
    for total in range(100) if claims[0].get('total', 0) is None else [claims[0].get('total')]:
        if total is not None: claims[0]['total'] = total
        open(paths[0], 'w').write(json.dumps(cert, indent=1) + '\n')
        why = check.check(*paths)
        if not why: break
    if why: sys.exit(name + ': ' + why)

os.makedirs(here, exist_ok=True)
# Two points of the hulls are nearest, 5 apart: the widest margin is 5/2, and one separator has it.
apart = [(1, '3 4'), (1, '6 3'), (1, '0 8'), (-1, '0 0'), (-1, '-1 0'), (-1, '1 -1')]
case('separable', apart, [{'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '3'], [2, '4']], 'b': '-12.5'},
                           'margin': {'low': '2.500', 'high': '2.500'}, 'multipliers': [[1, '1'], [4, '1']]}])
# Through the origin: of the hull of all y x, (3, 0) is nearest to it.
case('origin', [(1, '3 4'), (1, '3 -4'), (-1, '-5 1'), (1, '7 2')],
     [{'claim': 'separable', 'offset': False, 'separator': {'w': [[1, '2']]}, 'margin': {'low': '3.00', 'high': '3.00'},
       'multipliers': [[1, '1/2'], [2, '1/2']]}], form=csv)
case('common', [(1, '0 0'), (1, '2 2'), (-1, '0 2'), (1, '5 7'), (-1, '2 0'), (-1, '9 1')],
     [{'claim': 'not separable', 'offset': True, 'multipliers': [[1, '1.5'], [2, '1.5'], [3, '3/2'], [5, '1.50']]}])
case('line', [(1, '0.1'), (-1, '0.3'), (1, '0.7'), (-1, '0.2')],
     [{'claim': 'not separable', 'offset': True, 'multipliers': [[1, '2/3'], [2, '1'], [3, '1/3']]}], form=csv)
case('epsilon', [(1, '1.0'), (-1, '0.5'), (-1, '0.1')],
     [{'claim': 'not separable', 'offset': True, 'multipliers': [[1, '1'], [2, '1']], 'epsilon': '0.2500'}])
# The perceptron by hand (docs/bounds.md): nine updates, w = 3, b = -4.
case('perceptron', [(-1, '1'), (1, '2')],
     [{'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'r2', 'order': 'cyclic', 'passes': 10, 'total': 9,
       'model': {'w': [[1, '3']], 'b': '-4'}, 'converged': True, 'separator': {'w': [[1, '2']], 'b': '-3'}}])
case('passes', [(-1, '1 1'), (1, '1 1'), (1, '2 0')],
     [{'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'none', 'order': 'sequence', 'sequence': [1, 2], 'total': 2,
       'model': {'w': []}, 'separator': {'w': [[1, '1']]}, 'functional_margin': '1', 'passes': 1}])
bits = [(1 if a or b else -1, '%d %d %d' % (a, b, c)) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
# Two active columns of weight 1 are below 3; every mistake is by the file's order, from the weights 1, 1, 1.
case('winnow', bits, [{'claim': 'mistakes', 'learner': 'winnow', 'variant': 'winnow2', 'alpha': '2', 'threshold': '3',
                       'separator': {'w': [[1, '1'], [2, '1']]}, 'order': 'cyclic', 'passes': 5, 'total': None, 'converged': True}])
# Two of three (docs/winnow.md): P = 2, Q = 1, S = 3/2, K = 10, H = ln 3, and the bound is 7.656...
two = [(1 if a + b + c > 1 else -1, '%d %d %d' % (a, b, c)) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
case('weighed', two, [{'claim': 'mistakes', 'learner': 'winnow', 'variant': 'winnow2', 'alpha': '1.5', 'threshold': '3',
                       'separator': {'w': [[1, '1'], [2, '1'], [3, '1']]}, 'order': 'cyclic', 'passes': 9, 'total': None, 'converged': True}])
# v = 2 and the constant column's -1: g = 1, V = 3, N = 2, and the bound is 13.25...
case('balanced', [(1, '1'), (-1, '0')],
     [{'claim': 'mistakes', 'learner': 'winnow', 'variant': 'balanced', 'alpha': '1.4', 'offset': 'unit', 'tie': 'mistake',
       'separator': {'w': [[1, '2']], 'b': '-1'}, 'order': 'cyclic', 'passes': 9, 'total': None, 'converged': True}])
# Halves, and a second column that says nothing: winnow1 with S = 2, K = 2; the bound is 9.344...
case('halves', [(1, '0.5 1'), (1, '1 0.25'), (-1, '0 1')],
     [{'claim': 'mistakes', 'learner': 'winnow', 'variant': 'winnow1', 'alpha': '2', 'threshold': '2',
       'separator': {'w': [[1, '1']]}, 'order': 'cyclic', 'passes': 9, 'total': None, 'converged': True}])
case('experts', bits, [{'claim': 'mistakes', 'learner': 'experts', 'beta': '1/2', 'negated': True, 'tie': 'negative', 'passes': 1,
                        'total': 3, 'best': {'column': 1, 'negated': False, 'mistakes': '2'}}])
# Hinge loss with an optimum in whole numbers: the nearest pair is 2 apart, multipliers 1/2 below the cost 1.
held = [(1, '2 1'), (-1, '0 1'), (1, '5 -3'), (-1, '-4 2')]
best = {'loss': 'hinge', 'offset': 'free', 'cost': {'negative': '1', 'positive': '1'}, 'separator': {'w': [[1, '1.00']], 'b': '-1.00'},
        'dual': [[1, '0.5'], [2, '0.5']], 'gap': '0'}
case('optimal', held, [{'claim': 'optimal'} | best])
case('squared', [(1, '1'), (-1, '-1')], [{'claim': 'optimal', 'loss': 'squared hinge', 'offset': 'none', 'cost': {'negative': '1/4', 'positive': '1/4'},
                                          'separator': {'w': [[1, '0.5']]}, 'dual': [[1, '0.25'], [2, '0.25']], 'gap': '0'}])
case('stable', held, [{'claim': 'stable predictions'} | best | {'file': 'test', 'offset_interval': ['-1.1', '-0.9'], 'may_change': [2, 4]}],
     test=[(1, '2 1'), (1, '1.05 0'), (-1, '0.5 3'), (-1, '0.91 9'), (1, '3 0')])
case('witness', [(1, '0 1'), (-1, '1 1'), (1, '2 1')],
     [{'claim': 'kernel', 'kernel': ['sum', ['rbf', '1'], ['product', ['const', '-1'], ['rbf', '1/2']]], 'psd': False, 'z': [[1, '1'], [2, '1']]}])
case('gram', [(1, '0 0'), (-1, '1 2'), (1, '2 4')],
     [{'claim': 'kernel', 'kernel': ['sum', ['power', 2, ['linear']], ['const', '1']], 'psd': True}])
case('factor', [(1, '2 0'), (-1, '0 3')], [{'claim': 'kernel', 'kernel': ['linear'], 'psd': True, 'factor': [['2'], ['0', '3']]}])
case('error', held, [{'claim': 'error', 'separator': {'w': [[1, '1']], 'b': '-1'}, 'tie': 'mistake', 'shared': 1, 'rows': 4, 'mistakes': 1,
                      'delta': '0.05', 'upper': '0.7514'}],
     test=[(1, '2 1'), (1, '3 3'), (-1, '1 3'), (-1, '0 2'), (1, '7 5')])
