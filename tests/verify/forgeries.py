#!/usr/bin/env python3
"""Certificates that say something false, each with what is false about it: forgeries.py BUILD

Every forgery is an honest certificate (a case of cases/, or a table below), which all checkers accept, with one thing changed so that
it is false, or so that it says something which the format does not let it say. halfspace-verify and check.py must reject each;
halfspace-verify-core and the definition in docs/certificates.md must reject it, or say that it is beyond them.
"""
import copy, hashlib, json, os, subprocess, sys, tempfile
sys.dont_write_bytecode = True
import check, definition

here = os.path.dirname(os.path.abspath(__file__))
GONE = object()

class Case:
    def __init__(self, name, cert, data, test=None):
        self.name, self.cert, self.data, self.test = name, cert, data, test
    def sealed(self, cert, data):
        """The hashes are those of the files, unless the forgery is about them."""
        for part, text in (('data', data), ('test', self.test)):
            if isinstance(cert.get(part), dict) and cert[part].get('sha256') == 'seal': cert[part]['sha256'] = hashlib.sha256(text).hexdigest()
        return cert

def load(name):
    read = lambda end: open(os.path.join(here, 'cases', name + end), 'rb').read()
    cert = json.loads(read('.json'))
    test = read('.test') if os.path.exists(os.path.join(here, 'cases', name + '.test')) else None
    for part in ('data', 'test'):
        if part in cert: cert[part]['sha256'] = 'seal'
    return Case(name, cert, read('.data'), test)

def table(name, text, fields, claims, negative=('no',), positive=('yes',), rows=None, columns=None, **more):
    text = text if isinstance(text, bytes) else text.encode()
    spec = {'file': name, 'sha256': 'seal', 'rows': rows or text.count(b'\n'), 'columns': columns or sum(f['kind'] not in ('label', 'ignored') for f in fields), 'format': 'csv',
            'separator': ',', 'header': False, 'fields': fields, 'negative': list(negative), 'positive': list(positive)}
    extra = {k: more.pop(k) for k in ('transform', 'model') if k in more}
    return Case(name, {'format': 'halfspace certificate', 'version': 2, 'data': spec | more, 'claims': claims} | extra, text)
def lines(name, text, claims, negative=('-1',), positive=('1',), columns=1, **more):
    text = text if isinstance(text, bytes) else text.encode()
    extra = {k: more.pop(k) for k in ('transform', 'model') if k in more}
    spec = {'file': name, 'sha256': 'seal', 'rows': text.count(b'\n'), 'columns': columns, 'format': 'libsvm', 'index_base': 1,
            'negative': list(negative), 'positive': list(positive)}
    return Case(name, {'format': 'halfspace certificate', 'version': 2, 'data': spec | more, 'claims': claims} | extra, text)

NUMBER, LABEL, IGNORED = {'kind': 'number'}, {'kind': 'label'}, {'kind': 'ignored'}
def separates(w, b='0', **more): return {'claim': 'separable', 'offset': True, 'separator': {'w': w, 'b': b}} | more
def perceptron(order, total, **more):
    return {'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'none', 'total': total, 'separator': {'w': [[1, '1']]}} | order | more
def cyclic(passes): return {'order': 'cyclic', 'passes': passes}
def sequence(*rows): return {'order': 'sequence', 'sequence': list(rows)}

# ---- honest tables: how a file is read ----
CASES = {name: load(name) for name in sorted({f.split('.')[0] for f in os.listdir(os.path.join(here, 'cases'))})}
for c in (
    table('plain', '1,yes\n2,no\n3,yes\n4,no\n', [NUMBER, LABEL], [{'claim': 'not separable', 'offset': True, 'multipliers': [[1, '1'], [2, '2'], [3, '1']]}]),
    table('codes', '1,yes\n2,no\n3,yes\n4,no\n', [{'kind': 'ordinal', 'values': ['1', '3', '2', '4'], 'codes': True}, LABEL], [separates([[1, '-1']], '1.5')]),
    table('sizes', 'S,yes\nL,no\nM,yes\nL,no\n', [{'kind': 'ordinal', 'values': ['S', 'M', 'L']}, LABEL], [separates([[1, '-1']], '1.5', margin={'low': '0.5'})]),
    table('colours', 'red,1,yes\nblue,2,no\nred,5,yes\n', [{'kind': 'category', 'values': ['red', 'blue']}, NUMBER, LABEL], [separates([[1, '1'], [2, '-1']])], columns=3),
    lines('others', '3 1:9\n0 1:-1\n7 1:5\n', [separates([[1, '1']], '-3')], ('0',), ('7',), others='drop', rows=2),
    table('unseen', 'red,yes\nblue,no\n', [{'kind': 'category', 'values': ['red', 'blue', 'green'], 'unseen': True}, LABEL], [separates([[1, '1'], [2, '-1']])], columns=3),
    table('means', '3,yes\n?,no\n5,yes\n', [{'kind': 'number', 'mean': '1'}, LABEL], [separates([[1, '1']], '-2', margin={'low': '1'})], missing='mean'),
    table('gaps', '3,yes\n?,no\n5,yes\n', [{'kind': 'number', 'indicator': True}, LABEL], [separates([[2, '-2']], '1')], missing='indicator', columns=2),
    table('dropped', '3,yes\n?,no\n5,yes\n-1,no\n', [NUMBER, LABEL], [separates([[1, '1']])], missing='drop', rows=3),
    table('named', 'x,class\n3,yes\n-1,no\n', [NUMBER, LABEL], [separates([[1, '1']])], header=True, rows=2),
    table('semicolons', '3;yes\n-1;no\n', [NUMBER, LABEL], [separates([[1, '1']])], separator=';'),
    table('others', '3,yes\n-1,no\n7,maybe\n', [NUMBER, LABEL], [separates([[1, '1']])], others='drop', rows=2),
    table('ignoring', '3,9,yes\n-1,9,no\n', [NUMBER, IGNORED, LABEL], [separates([[1, '1']])]),
    table('latin', b'3,caf\xe9\n-1,the\n', [NUMBER, LABEL], [separates([[1, '1']])], negative=['the'], positive=[{'hex': '636166e9'}]),
    table('quoted', '"3","ye""s"\n-1,no\n', [NUMBER, LABEL], [separates([[1, '1']])], positive=['ye"s']),
    lines('moved', '1 1:1 2:5\n-1 1:2 2:7\n', [separates([[2, '-1']], margin={'low': '2'})], columns=2, transform=[[1, '0', '1'], [2, '6', '2']]),
    lines('modelled', '1 1:1\n-1 1:-1\n', [separates([[1, '1']])], model={'sha256': '0' * 64}),
    lines('numbers', '+1 1:1\n-1.0 1:-1\n1e0 1:3\n', [separates([[1, '1']])]),
    lines('line', '1 1:3\n-1 1:-1\n-1 1:-2\n', [perceptron(cyclic(5), 1, converged=True, model={'w': [[1, '3']]})]),
    lines('updates', '1 1:3\n-1 1:-1\n-1 1:-2\n', [perceptron(sequence(2), 1, converged=True, model={'w': [[1, '1']]})]),
    lines('both', '1 1:1\n-1 1:1\n', [perceptron(sequence(1, 2, 1), 3, functional_margin='1', passes=2)]),
    lines('target', '1 1:3\n-1 1:-1\n', [perceptron(cyclic(9), 4, margin_target='3', rate='1/2', converged=True)]),
    lines('softly', '1 1:3\n-1 1:3\n', [perceptron(cyclic(9), 2, soft='5', functional_margin='1')]),
    lines('tied', '1 1:1\n-1 1:-1\n', [perceptron(cyclic(2), 1, tie='positive', converged=True)]),
    lines('curved', '1 1:1\n-1 1:-1\n', [{'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'unit', 'kernel': ['poly', 1, '0'], 'total': 2,
                                           'separator': {'rows': [[1, '1']], 'b': '0'}, 'model': {'rows': [[1, '1'], [2, '-1']], 'b': '0'}} | sequence(1, 2)]),
    lines('far', '1 1:4000000\n1 1:0\n', [{'claim': 'separable', 'offset': True, 'kernel': ['rbf', '1'], 'separator': {'rows': [[1, '1'], [2, '1']], 'b': '0'}}]),
    lines('alike', b'a" 1:1\na? 1:-1\na\\ 1:-2\na\\" 1:-3\n', [separates([[1, '1']])], ['a?', 'a\\', 'a\\"'], ['a"']),
    lines('origin2', '-1 1:1\n1 1:2\n', [{'claim': 'not separable', 'offset': False, 'multipliers': [[1, '2'], [2, '1']]}]),
    lines('free', '1 1:1\n1 1:2\n', [separates([], '1')]),
):
    if c.name in CASES: c.name += '-lines'
    CASES[c.name] = c

# ---- forgeries ----
FORGERIES = []
def put(d, path, value):
    keys = path.split('.')
    for k in keys[:-1]: d = d[int(k) if k.isdigit() else k]
    last = int(keys[-1]) if keys[-1].isdigit() else keys[-1]
    if value is GONE: del d[last]
    else: d[last] = value
def forge(case, why, *changes, data=None):
    """A forgery: pairs (path, value), paths with dots, 0. for the first claim."""
    FORGERIES.append((case, why, changes, data))
def each(case, path, **values):
    """One forgery for every value: what is false about it = the value."""
    for why, value in values.items(): forge(case, '%s: %s' % (path, why.replace('_', ' ')), (path, value))

C = 'claims.0.'
# 1. separable
each('separable', C + 'margin.low', above_the_margin='2.501', negative='-1', a_word='wide', hexadecimal='0x1p1', huge='1e9', empty='')
each('separable', C + 'margin.high', below_the_margin='2.499', negative='-2.6', zero='0')
each('separable', C + 'separator.w', turned=[[1, '4'], [2, '-3']], opposite=[[1, '-3'], [2, '-4']], nothing=[], a_column_that_is_not_there=[[1, '3'], [3, '4']],
     column_0=[[0, '3'], [1, '4']], a_column_twice=[[1, '3'], [1, '4']], descending=[[2, '4'], [1, '3']], index_as_text=[['1', '3'], ['2', '4']], triples=[[1, '3', '1'], [2, '4', '1']])
each('separable', C + 'separator.b', beyond_the_rows='0', other_side='12.5', infinite='inf', a_list=['-12.5'])
each('separable', C + 'multipliers', one_class=[[1, '1']], unequal_sums=[[1, '1'], [4, '2']], negative=[[1, '-1'], [4, '-1']], other_rows=[[2, '1'], [5, '1']], none=[],
     zeros=[[1, '1'], [2, '0'], [4, '1']], a_row_that_is_not_there=[[1, '1'], [7, '1']], row_0=[[0, '1'], [4, '1']], a_row_twice=[[1, '1'], [1, '0'], [4, '1']], gone=GONE)
each('separable', C + 'offset', without_offset_although_b=False, text='true', number=1, gone=GONE)
forge('separable', 'a margin without its low end', (C + 'margin.low', GONE))
forge('separable', 'multipliers that no margin uses', (C + 'margin', GONE))
forge('separable', 'a high end without multipliers', (C + 'multipliers', GONE))
forge('origin', 'an offset through the origin', (C + 'separator.b', '1/100'))
each('origin', C + 'margin.high', too_low='2.99'); each('origin', C + 'margin.low', too_high='3.01')
each('origin', C + 'multipliers', other=[[1, '1'], [2, '1/2']], one=[[1, '1']])
forge('free', 'a margin of w = 0', (C + 'margin', {'low': '0'}))
# 2. not separable
each('common', C + 'multipliers', not_a_common_point=[[1, '1.5'], [2, '1.5'], [3, '3/2'], [5, '1.51']], one_class=[[1, '1'], [2, '1']], none=[], negative=[[1, '-1.5'], [2, '-1.5'], [3, '-1.5'], [5, '-1.5']],
     all_zero=[[1, '0'], [2, '0'], [3, '0'], [5, '0']], three_rows=[[1, '1.5'], [2, '1.5'], [3, '3']])
forge('common', 'rows that are separable', data=b'+1 1:0 2:0\n+1 1:2 2:2\n-1 1:0 2:9\n+1 1:5 2:-7\n-1 1:2 2:9\n-1 1:9 2:91\n')
each('line', C + 'multipliers', nearly=[[1, '0.6666666666666667'], [2, '1'], [3, '0.3333333333333333']], other=[[1, '1'], [2, '1']])
each('epsilon', C + 'epsilon', too_small='0.2499', negative='-0.25', zero='0', gone=GONE)
forge('origin2', 'not separable at all, where only the origin stands in the way', (C + 'offset', True))
forge('plain', 'versions of the format that are not this one', ('version', 1))
each('plain', C + 'multipliers', a_weighing_that_is_not_0=[[1, '1'], [2, '1'], [3, '1']], only_two=[[1, '1'], [2, '1']])
# 3. runs
each('perceptron', C + 'total', one_more=10, one_less=8, text='9', none=0, gone=GONE)
each('perceptron', C + 'model.w', other=[[1, '4']], none=[], a_column_more=[[1, '3'], [2, '1']])
each('perceptron', C + 'model.b', other='-3', zero='0')
each('perceptron', C + 'offset', unit='unit', none='none', append_without_constant='append', a_word='free')
each('perceptron', C + 'separator.w', does_not_separate=[[1, '-2']], too_steep=[[1, '1']])
each('perceptron', C + 'passes', too_few=1, none=0, text='10', gone=GONE, negative=-1)
each('perceptron', C + 'order', a_sequence_without_rows='sequence', a_word='random', gone=GONE)
forge('perceptron', 'counts of updates, which no run is', (C + 'updates', [[1, 5], [2, 4]]))
forge('perceptron', 'a rate of 0', (C + 'rate', '0')); forge('perceptron', 'a target below 0', (C + 'margin_target', '-1'))
forge('perceptron', 'a target that the run did not have', (C + 'margin_target', '100'))
forge('perceptron', 'a constant that is not used', (C + 'constant', '2'))
forge('perceptron', 'a sequence and passes', (C + 'sequence', [1, 2]))
forge('perceptron', 'within a distance below 0', (C + 'model.within', '-1'))
forge('line-lines', 'an update of a row that is right', (C + 'order', 'sequence'), (C + 'passes', GONE), (C + 'sequence', [2, 3]), (C + 'total', 2), (C + 'model', GONE))
forge('line-lines', 'two updates where one ends it', (C + 'total', 2))
forge('updates', 'converged before the first update', (C + 'sequence', []), (C + 'total', 0), (C + 'model', {'w': []}))
each('updates', C + 'sequence', a_row_that_is_not_there=[4], row_0=[0], text=['2'], twice=[2, 2], another_row_first=[3, 2], fraction=['1/1'])
forge('updates', 'the model of another run', (C + 'sequence', [1]))
each('both', C + 'sequence', counts_that_differ_by_two=[1, 1, 2], five_and_three=[1, 2, 1, 2, 1, 1, 1, 2], the_same_row_first=[1, 1, 1])
each('both', C + 'passes', fewer_than_a_row_was_updated=1, none=0, gone=GONE)
each('both', C + 'functional_margin', zero='0', negative='-1', gone=GONE)
forge('both', 'converged where no run can', (C + 'converged', True))
forge('both', 'more updates than the bound', (C + 'functional_margin', '1000'), (C + 'separator.w', [[1, '1000000']]), (C + 'passes', 2), (C + 'total', 4))
each('target', C + 'margin_target', larger='5', none='0'); each('target', C + 'rate', another='1', zero='0')
each('softly', C + 'soft', none=GONE, zero='0', negative='-5')
each('softly', C + 'functional_margin', gone=GONE, zero='0')
each('tied', C + 'tie', ties_are_mistakes_both='sometimes', number=1)
forge('tied', 'a tie that is no mistake', (C + 'tie', 'negative'), (C + 'order', 'sequence'), (C + 'sequence', [2]), (C + 'passes', GONE))
forge('tied', 'a run that stops before a mistake', (C + 'total', 0))
each('curved', C + 'sequence', one=[1], other_order_twice=[2, 2], third=[1, 2, 1])
each('curved', C + 'model.rows', other=[[1, '2'], [2, '-1']], fewer=[[1, '1']], a_row_that_is_not_there=[[1, '1'], [3, '-1']])
for name, total in (('winnow', 4), ('weighed', 2), ('balanced', 5), ('halves', 4)):
    each(name, C + 'total', more=total + 1, fewer=total - 1, zero=0, text=str(total))
    each(name, C + 'alpha', one='1', below_one='1/2', huge='100', negative='-2')
    each(name, C + 'separator.w', none=[], wrong_side=[[1, '-1']], column_0=[[0, '1']])
    each(name, C + 'order', none=GONE, a_word='shuffled'); each(name, C + 'passes', none=GONE, zero=0)
    forge(name, 'counts of updates, which no run is', (C + 'updates', [[1, 1]]))
    forge(name, 'a disjunction, which the format has no more', (C + 'disjunction', [1]))
    forge(name, 'values that are not from 0 to 1', (C + 'clip', '1/2'))
forge('winnow', 'a run that never ends with these updates', (C + 'order', 'sequence'), (C + 'passes', GONE), (C + 'sequence', [8, 8]), (C + 'total', 2), (C + 'threshold', '1'))
forge('winnow', 'promotions of a row that is over the threshold', (C + 'order', 'sequence'), (C + 'passes', GONE), (C + 'sequence', [7, 7, 7]), (C + 'total', 3))
each('winnow', C + 'threshold', zero='0', negative='-3', none=GONE, another='1/2')
each('winnow', C + 'variant', balanced='balanced', a_word='winnow3')
each('halves', C + 'threshold', another='1'); each('balanced', C + 'offset', none='none', append='append')
forge('balanced', 'ties that are no mistakes', (C + 'tie', 'negative'))
each('experts', C + 'total', fewer=2, more=4, text='3'); each('experts', C + 'beta', one='1', zero='0', above_1='1.5', negative='-1/2')
each('experts', C + 'best.column', another=3, none=0, beyond=9); each('experts', C + 'best.mistakes', fewer='1', more='3', half='3/2')
each('experts', C + 'passes', two=2, none=0, many=20000); each('experts', C + 'tie', a_word='zero', gone=GONE)
forge('experts', 'an expert that is not there', (C + 'negated', False), (C + 'best.negated', True))
# 4, 5. optimal, stable
for name in ('optimal', 'squared'):
    each(name, C + 'gap', below_0='-1/1000', a_word='small', gone=GONE); each(name, C + 'dual', none=[], negative=[[1, '-1/4'], [2, '-1/4']], halved=[[1, '1/8'], [2, '1/8']])
    each(name, C + 'loss', a_word='logistic', none=GONE); each(name, C + 'cost.positive', zero='0', negative='-1', gone=GONE)
    each(name, C + 'separator.w', none=[], longer=[[1, '2']]); each(name, C + 'offset', a_word='append', flag=True)
each('optimal', C + 'cost.negative', below_the_dual='1/3'); each('optimal', C + 'separator.b', other='0', none=GONE); each('optimal', C + 'loss', squared='squared hinge')
each('optimal', C + 'dual', not_balanced=[[1, '1/2']], above_the_cost=[[1, '2'], [2, '2']], other_rows=[[3, '1/2'], [4, '1/2']], a_row_that_is_not_there=[[1, '1/2'], [5, '1/2']])
forge('optimal', 'b without an offset', (C + 'offset', 'none')); forge('optimal', 'another objective', (C + 'offset', 'regularized'))
each('squared', C + 'dual', doubled=[[1, '1/2'], [2, '1/2']]); each('squared', C + 'offset', free_without_balance='regularised')
each('stable', C + 'may_change', too_few=[2], none=[], others=[1, 3], a_row_that_is_not_there=[2, 4, 6], descending=[4, 2])
each('stable', C + 'offset_interval', upside_down=['-0.9', '-1.1'], elsewhere=['0', '1'], one_number=['-1'], none=GONE)
each('stable', C + 'file', gone=GONE, a_word='train')
# 6. kernels
each('witness', C + 'z', positive=[[1, '1'], [2, '-1']], none=[], one_row=[[1, '1']]); each('witness', C + 'psd', positive=True, text='false')
each('gram', C + 'kernel', not_a_kernel=['const', '-1'], difference=['sum', ['linear'], ['const', '-9']], a_word=['sine'], power_0=['power', 0, ['linear']], no_arguments=['rbf'])
each('gram', C + 'psd', negative_without_z=False); each('factor', C + 'factor', too_long=[['2.1'], ['0', '3']], a_row_less=[['2']], mixed=[['2'], ['1', '3']])
each('far', C + 'separator.b', taken_for_exactly_minus_1='-1', beyond='-2')
forge('far', 'a kernel that is 0 nowhere, taken for 0', (C + 'separator', {'rows': [[1, '1']], 'b': '-1e-100'}))
forge('far', 'a constant below 0', (C + 'kernel', ['rbf', '-1'])); forge('far', 'a sigmoid, which is no kernel', (C + 'kernel', ['sigmoid', '1', '1']))
# 7. error
each('error', C + 'mistakes', fewer=0, more=2, text='1'); each('error', C + 'rows', all_of_them=5, fewer=3); each('error', C + 'shared', none=0, two=2, gone=GONE)
each('error', C + 'upper', lower='0.7513', zero='0', above_1='1.1'); each('error', C + 'delta', smaller='0.04', zero='0', one='1', above_1='2')
each('error', C + 'tie', negative='negative', a_word='zero'); each('error', C + 'separator.w', opposite=[[1, '-1']], none=[])
forge('error', 'classes the other way round in test', ('test.negative', ['1']), ('test.positive', ['-1']))
forge('error', 'another first column in test', ('test.index_base', 0))
forge('error', 'more columns in test', ('test.columns', 3)); forge('error', 'no test', ('test', GONE))
# the reading
for case in ('plain', 'named', 'separable'):
    each(case, 'data.sha256', of_another_file='0' * 64, short='ab', upper_case='A' * 64, gone=GONE)
    each(case, 'data.rows', more=99, none=0, text='4', gone=GONE); each(case, 'data.columns', none=0, text='1', huge=4294967295)
    each(case, 'data.format', a_word='json', gone=GONE); each(case, 'data.negative', none=[], both_classes=['no', 'yes', '-1', '1', '+1'], gone=GONE)
    each(case, 'data.positive', numbers=[1], none=[], twice=['yes', 'yes']); each(case, 'data.others', a_word='keep'); forge(case, 'a member of nothing', ('data.weights', [1]))
    forge(case, 'claims of nothing', ('claims', [])); forge(case, 'not a certificate', ('format', 'certificate')); forge(case, 'a claim that nobody checks', (C + 'claim', 'beautiful'))
    forge(case, 'a member that nobody checks', (C + 'verified', True)); forge(case, 'a member that nobody checks, on top', ('trusted', True)); forge(case, 'version 3', ('version', 3)); forge(case, 'version as text', ('version', '2'))
each('plain', 'data.separator', a_digit='1', a_letter='e', minus='-', plus='+', point='.', quote='"', two=',,', none='', line='\n', semicolon=';')
each('plain', 'data.header', taken_for_names=True, text='false', gone=GONE); each('plain', 'data.missing', a_word='zero')
each('plain', 'data.fields.0', label_twice=LABEL, ignored=IGNORED, no_row_has_it={'kind': 'category', 'values': ['-']}, no_row_has_it_unseen={'kind': 'category', 'values': ['-'], 'unseen': True},
     no_values={'kind': 'category', 'values': []}, an_order_of_ones_own={'kind': 'ordinal', 'values': ['1', '3', '2', '4']}, numbers_as_category={'kind': 'category', 'values': ['1']},
     values_of_a_number={'kind': 'number', 'values': ['1']}, mean_of_no_gap={'kind': 'number', 'mean': '5'}, codes_of_a_number={'kind': 'number', 'codes': True}, a_word={'kind': 'date'},
     an_indicator_of_no_gap={'kind': 'number', 'indicator': True}, text='number', nothing={})
each('plain', 'data.fields.1', no_label=IGNORED, a_label_with_values={'kind': 'label', 'values': ['yes']}, a_label_with_a_mean={'kind': 'label', 'mean': '1'}, number=NUMBER)
forge('plain', 'a category of one point: "not separable" of a column that is gone', ('data.fields.0', {'kind': 'category', 'values': ['-']}), (C + 'multipliers', [[1, '1'], [2, '1']]))
forge('plain', 'codes that no row has', ('data.fields.0', {'kind': 'ordinal', 'values': ['1', '2', '3', '4', '9'], 'codes': True}))
each('codes', 'data.fields.0.codes', not_said=GONE, denied=False, text='true')
each('codes', 'data.fields.0.values', another_order=['1', '2', '3', '4'], a_code_twice=['1', '3', '2', '4', '4'], a_code_less=['1', '3', '2'], padded=['1', '3', '2', '4', '7'], not_only_numbers=['1', '3', '2', '4', 'x'], empty=[])
each('sizes', 'data.fields.0.values', another_order=['L', 'M', 'S'], one_twice=['S', 'M', 'L', 'L'], one_less=['S', 'M'], padded=['S', 'M', 'XL', 'L'], empty=[], numbers=[1, 2, 3], gone=GONE)
forge('sizes', 'codes of words', ('data.fields.0.codes', True)); forge('sizes', 'a wider margin by padding', ('data.fields.0.values', ['S', 'M', 'X', 'L']), (C + 'separator.b', '2'), (C + 'margin.low', '1'))
each('colours', 'data.fields.0.values', turned=['blue', 'red'], one_twice=['red', 'red', 'blue'], one_less=['red'], not_there=['red', 'green'], empty=[])
forge('colours', 'an ordinal', ('data.fields.0.kind', 'ordinal')); forge('colours', 'a mean of a category', ('data.fields.0.mean', '1'))
each('unseen', 'data.fields.0.unseen', not_said=GONE, denied=False, text='yes'); forge('unseen', 'none that a row has', ('data.fields.0.values', ['green', 'white', 'black']))
each('means', 'data.fields.0.mean', made_to_fit='2', beyond='1000', gone=GONE, a_word='mean'); each('means', 'data.missing', drop='drop', error='error', indicator='indicator', gone=GONE)
each('gaps', 'data.missing', drop='drop', mean='mean', gone=GONE); each('gaps', 'data.fields.0.indicator', gone=GONE, denied=False, text='true'); each('dropped', 'data.missing', error='error', gone=GONE, mean='mean'); each('dropped', 'data.rows', all=4)
each('named', 'data.header', not_names=False); each('semicolons', 'data.separator', comma=',', space=' ', tab='\t'); each('others', 'data.others', error='error', gone=GONE)
each('others', 'data.positive', one_more_class=['yes', 'maybe']); each('ignoring', 'data.fields.1', number=NUMBER, label=LABEL); forge('ignoring', 'the wrong field is ignored', ('data.fields', [IGNORED, NUMBER, LABEL]))
each('latin', 'data.positive', another_byte=[{'hex': '636166e8'}], utf_8=['caf\u00e9'], hex_of_utf_8=[{'hex': '63616665'}], odd=[{'hex': '6'}], a_member_more=[{'hex': '636166e9', 'utf8': 1}], empty=[{'hex': ''}], upper_case=[{'hex': '636166E9'}])
each('quoted', 'data.positive', without_the_quote=['yes'], with_quotes=['"ye""s"'], blank=['ye"s '])
each('moved', 'transform', factor_0=[[1, '0', '0'], [2, '6', '2']], offset_elsewhere=[[1, '0', '1'], [2, '9', '2']], turned=[[1, '0', '1'], [2, '6', '-2']], smaller=[[1, '0', '1'], [2, '6', '1']],
     descending=[[2, '6', '2'], [1, '0', '1']], a_column_that_is_not_there=[[1, '0', '1'], [3, '6', '2']], empty=[], pairs=[[1, '0'], [2, '6']], gone=GONE, an_object={})
forge('moved', 'two rows made one point by factors of 0', ('transform', [[1, '0', '0'], [2, '0', '0']]), ('claims', [{'claim': 'not separable', 'offset': True, 'multipliers': [[1, '1'], [2, '1']]}]))
each('modelled', 'model', not_a_hash={'sha256': 'x'}, empty={}, a_member_more={'sha256': '0' * 64, 'good': True}, text='m.hsp')
each('numbers', 'data.positive', a_fraction=['2/2'], an_underscore=['0_1'], hexadecimal=['0x1'], arabic=['\u0661'], blank=[' 1'], twice_by_value=['1', '1.0'])
forge('numbers', 'a label 1/2 read as a number', ('data.positive', ['0.5']), data=b'1/2 1:1\n-1 1:-1\n1/2 1:3\n')
forge('numbers', 'a label 1_0 read as ten', ('data.positive', ['10']), data=b'1_0 1:1\n-1 1:-1\n1_0 1:3\n')
forge('numbers', 'digits of another script', data='\u0661 1:1\n-1 1:-1\n1 1:3\n'.encode())
forge('numbers', 'an index of another script', data='1 \u0661:1\n-1 1:-1\n1 1:3\n'.encode())
forge('numbers', 'a value with an underscore', data=b'1 1:1_0\n-1 1:-1\n1 1:3\n'); forge('numbers', 'a value of infinity', data=b'1 1:inf\n-1 1:-1\n1 1:3\n')
forge('numbers', 'an index twice', data=b'1 1:1 1:1\n-1 1:-1\n1 1:3\n'); forge('numbers', 'index 0', data=b'1 0:1\n-1 1:-1\n1 1:3\n')
forge('quoted', 'blanks inside quotes are part of a label', data=b'"3"," ye""s "\n-1,no\n'); forge('quoted', 'a quote that is not closed', data=b'"3","ye""s\n-1,no\n')
forge('plain', 'fewer fields', data=b'1,yes\n2\n3,yes\n4,no\n'); forge('plain', 'more fields', data=b'1,yes\n2,no,1\n3,yes\n4,no\n'); forge('plain', 'a missing value', data=b'1,yes\n?,no\n3,yes\n4,no\n')
forge('plain', 'a carriage return inside a line', data=b'1\r,yes\n2,no\n3,yes\n4,no\n'); forge('plain', 'a word for a number', data=b'one,yes\n2,no\n3,yes\n4,no\n')

forge('others', 'a row of class 0 that is written with a large exponent', data=b'0e5001 1:9\n0 1:-1\n7 1:5\n')
forge('others', 'a class against itself, beyond the limits of numbers', ('data.positive', ['1e6000']), ('data.negative', ['10e5999']), data=b'1e6000 1:5\n10e5999 1:-1\n3 1:9\n')
forge('others', 'a dictionary for a list of labels', ('data.positive', {'7': 'another'})); forge('others', 'text for a list of labels', ('data.positive', '7')); forge('others', 'labels as numbers', ('data.positive', [7]))

# ---- certificates that hold, and would mislead who is not told how: what the programs must say ----
AB = {'negative': ('b',), 'positive': ('a',)}
TOLD = [
    (table('nearly 1.6', '1.6,b\n?,a\n', [{'kind': 'number', 'mean': '1.6000000001'}, LABEL], [separates([[1, '1']], '-1.60000000005')], missing='mean', **AB), 0,
     '1 missing value becomes 1.6000000001 (about 1.6).'),
    (table('another order', '1,b\n2,b\n3,b\n4,b\n5,b\n6,b\n7,a\n8,b\n9,a\n', [{'kind': 'ordinal', 'values': list('123456879'), 'codes': True}, LABEL], [separates([[1, '1']], '-13/2')], **AB), 0,
     '"5" < "6" < "8" < "7" < "9".'),
    (table('a row for names', '5;b\n1;a\n-1;b\n', [NUMBER, LABEL], [separates([[1, '1']])], rows=2, **AB | {'separator': ';', 'header': True}), 1,
     'the first record is taken for names, not for a row.', 'fields are separated by ";".', 'field 2 is the label.'),
    (lines('curved xor', '1 1:1 2:1\n-1 1:1 2:-1\n1 1:-1 2:-1\n-1 1:-1 2:1\n', [perceptron(cyclic(9), 2, kernel=['poly', 2, '0'], separator={'rows': [[1, '1'], [2, '-1'], [3, '1'], [4, '-1']]})], columns=2), 0,
     'that run in the feature space of poly(2, 0) has learner perceptron, offset none'),
    (lines('a rate', '1 1:1\n-1 1:-1\n', [perceptron(cyclic(9), 1, rate='1/3', note='x\nverified: all claims hold.')]), 1, 'offset none, total 1, order cyclic, passes at most 9, rate 1/3.'),
    (lines('bounds', '1 1:2\n-1 1:-1\n', [perceptron(cyclic(9), 1, separator={'w': [[1, '1']]})]), 1, 'number 1; ', ' allows at most 4.'),
    (lines('no row but one', '1 1:1\n', [separates([[1, '1']])], columns=1), 1, '1 row (1 positive, 0 negative), 1 column', 'has the 1 row strictly on its side.'),
    (lines('stable', '1 1:1 2:1\n-1 1:-1 2:-1\n1 1:2 2:0\n-1 1:-2 2:0\n', [{'claim': 'stable predictions', 'loss': 'hinge', 'offset': 'none', 'cost': {'negative': '1', 'positive': '1'},
        'separator': {'w': [[1, '1/2'], [2, '1/2']], 'b': '0'}, 'dual': [[1, '1/4'], [2, '1/4']], 'gap': '0', 'file': 'data', 'may_change': [1, 2, 3, 4]}], columns=2), 0,
     'at least 0 of the 4 rows of data are those of every exact optimum; nothing is shown of the other 4.'),
]
def untold(build, folder):
    """What a program should have said of these, and did not."""
    wrong, paths = [], [os.path.join(folder, n) for n in ('cert', 'data')]
    for case, core, *sentences in TOLD:
        cert = case.sealed(copy.deepcopy(case.cert), case.data)
        for p, t in zip(paths, (json.dumps(cert).encode(), case.data)): open(p, 'wb').write(t)
        if check.check(*paths): wrong.append('%s: check.py rejects it' % case.name)
        for name in ('halfspace-verify', 'halfspace-verify-core')[:1 + core]:
            done = subprocess.run([os.path.join(build, name), *paths], capture_output=True, text=True)
            wrong += ['%s, %s: no "%s" in\n%s' % (case.name, name, s, done.stdout) for s in sentences if done.returncode or s not in done.stdout]
            if done.stdout.count('verified: ') != 1: wrong.append('%s, %s: it is verified once' % (case.name, name))
    return wrong

def run(build):
    folder, wrong = tempfile.mkdtemp(), []
    paths = [os.path.join(folder, n) for n in ('cert', 'data', 'test')]
    def judge(case, cert, data):
        used = paths[:3 if case.test is not None and 'test' in cert else 2]
        cert = case.sealed(copy.deepcopy(cert), data)
        for p, t in zip(used, (json.dumps(cert).encode(), data, case.test)): open(p, 'wb').write(t)
        status = [subprocess.run([os.path.join(build, name), *used], capture_output=True).returncode for name in ('halfspace-verify', 'halfspace-verify-core')]
        if len(used) > 2: status[1] = 5  # the core knows one file
        return status, check.check(*used), definition.holds(*used[:2])
    twins, by_core, defined_cases = 0, 0, []
    for case in CASES.values():
        status, why, defined = judge(case, case.cert, case.data)
        twins += 1
        by_core += status[1] == 0
        if defined: defined_cases.append(case.name)
        inside = status[1] == 0 and case.cert['data']['format'] == 'libsvm'  # what the core knows, but for tables
        if status[0] or status[1] not in (0, 5) or why or defined != inside:
            wrong.append('the honest %s: status %s; check.py: %s; definition: %s' % (case.name, status, why, defined))
    core = defs = 0
    for name, why, changes, data in FORGERIES:
        case = CASES[name]
        cert = copy.deepcopy(case.cert)
        for path, value in changes: put(cert, path, value)
        status, second, defined = judge(case, cert, data or case.data)
        core += status[1] in (1, 3)
        defs += not defined and name in defined_cases
        if status[0] not in (1, 3) or status[1] not in (1, 3, 5) or not second or defined:
            wrong.append('%s, %s: status %s; check.py: %s; definition: %s' % (name, why, status, second, defined))
    silent = untold(build, folder)
    for line in wrong + silent: print(line, file=sys.stderr)
    print('%s %d certificates that would mislead say how they are meant' % ('FAILED' if silent else 'ok', len(TOLD)))
    print('%s %d forgeries rejected by halfspace-verify and check.py, %d of them by the core and %d by the definition; their %d honest twins accepted (by these two: %d, %d)' % (
        'FAILED' if wrong else 'ok', len(FORGERIES), core, defs, twins, by_core, len(defined_cases)))
    return 1 if wrong or silent or len(FORGERIES) < 300 or not core or not defs else 0

if __name__ == '__main__': sys.exit(run(sys.argv[1]))
