#!/usr/bin/env python3
"""A second checker of certificates: check.py CERT DATA [TEST]

Written from docs/certificates.md alone, with fractions, for small files. Exit 0: every claim holds; 1: rejected.
Members that the format does not have, and numbers that are too long for the first checker, are not its business.
"""
import csv, decimal, hashlib, io, json, math, re, sys
from fractions import Fraction as F

class Reject(Exception): pass
def need(so, why):
    if not so: raise Reject(why)

def num(v):
    v = str(v)
    if m := re.fullmatch(r'(-?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)', v):
        return (-1 if m[1] else 1) * F(int(m[2] + m[3], 16)) * F(2) ** (int(m[4]) - 4 * len(m[3]))
    need(re.fullmatch(r'-?\d+/\d+|[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?', v), 'number ' + v[:40])
    return F(v)
def ascending(array, most=10**15):
    need(all(type(i) is int for i in array) and all(a < b for a, b in zip([0] + array, array + [most + 1])), 'order')
    return array
def pairs(array):
    ascending([i for i, _ in array])
    return [(i, num(v)) for i, v in array]
def label(text):
    try: return F(text)
    except ValueError: return text

# ---- rows: (y, {column: value}) ----
def features(t, fields):
    x, column, y, used = {}, 1, None, True
    for spec, text in zip(t['fields'], fields):
        kind, own = spec['kind'], 0
        missing = text.lower() in ('', '?', 'na', 'nan')
        if kind == 'label':
            y = None if missing else label(text)
            need(not missing or t.get('missing', 'error') != 'error', 'missing label')
        elif kind != 'ignored':
            own = len(spec['values']) if kind == 'category' else 1
            if missing:
                how = t.get('missing', 'error')
                need(how != 'error', 'missing value')
                used = used and how != 'drop'
                if how == 'mean' and kind != 'category': x[column] = num(spec['mean'])
                if how == 'indicator' and spec.get('indicator'): x[column + own] = F(1)
            elif kind == 'number': x[column] = num(text)
            elif kind == 'ordinal': x[column] = F(spec['values'].index(text))
            elif text in spec['values']: x[column + spec['values'].index(text)] = F(1)
        need(not spec.get('indicator') or own and t.get('missing') == 'indicator', 'indicator')
        column += own + bool(spec.get('indicator'))
    need(column - 1 == t['columns'], 'columns')
    return (y if used else None), x

def read(t, path, transform):
    data = open(path, 'rb').read()
    need(hashlib.sha256(data).hexdigest() == t['sha256'], 'sha256')
    sides = {label(v): -1 for v in t['negative']} | {label(v): 1 for v in t['positive']}
    need(len(sides) == len(t['negative']) + len(t['positive']), 'labels')
    text, rows, left_out = data.decode().removeprefix('\ufeff'), [], []
    if t['format'] == 'csv':
        need(not re.search(r'\r(?!\n|$)', re.sub(r'"[^"]*"', '', text)), 'carriage return')
        lines = [[f.strip() for f in r] for r in csv.reader(io.StringIO(text), delimiter=t['separator'], skipinitialspace=True) if r]
        found = [features(t, r) for r in lines[1 if t['header'] else 0:]]
    else:
        found = []
        for line in text.split('\n'):
            words = line.split('#')[0].split()
            if not words: continue
            x = [w.split(':') for w in words[1:] if not w.startswith('qid:')]
            found.append((label(words[0]), {int(i) - t['index_base'] + 1: num(v) for i, v in x}))
    for y, x in found:
        need(all(1 <= j <= t['columns'] for j in x), 'column')
        if y is None: continue
        need(y in sides or t.get('others') == 'drop', 'label')
        for j, offset, factor in transform: x[j] = (x.get(j, 0) - num(offset)) * num(factor)
        (rows if y in sides else left_out).append((sides.get(y), {j: v for j, v in x.items() if v}))
    need(len(rows) == t['rows'] > 0, 'rows')
    return rows, left_out, sides

# ---- the feature space: values are intervals (lo, hi) ----
def add(a, b): return a[0] + b[0], a[1] + b[1]
def times(a, b):
    products = [p * q for p in a for q in b]
    return min(products), max(products)
def exact(v): return F(v), F(v)
def scale(s, a): return times(exact(s), a)
def exp(t):  # Decimal's is correctly rounded
    with decimal.localcontext(decimal.Context(prec=60, Emin=-10**9)):
        e = F((decimal.Decimal(t.numerator) / decimal.Decimal(t.denominator)).exp())
        return e * (1 - F(1, 10**50)), e * (1 + F(1, 10**50))
def ln(v):
    with decimal.localcontext(decimal.Context(prec=80, Emin=-10**9, Emax=10**9)):
        e = F((decimal.Decimal(v.numerator) / decimal.Decimal(v.denominator)).ln())
        return e - (1 + abs(e)) / 10**60, e + (1 + abs(e)) / 10**60
def dot(x, z): return sum((v * z[j] for j, v in x.items() if j in z), F(0))
def kernel(k, x, z):
    name, args = k[0], k[1:]
    if name == 'linear': return exact(dot(x, z))
    if name == 'poly': return exact((dot(x, z) + num(args[1])) ** args[0])
    if name == 'const': return exact(num(args[0]))
    if name == 'intersection': return exact(sum((min(v, z[j]) for j, v in x.items() if j in z), F(0)))
    if name in ('rbf', 'laplace'):
        apart = [abs(x.get(j, 0) - z.get(j, 0)) for j in x.keys() | z.keys()]
        return exp(-num(args[0]) * sum(d * d if name == 'rbf' else d for d in apart)) if any(apart) else exact(1)
    if name == 'sigmoid':
        v = num(args[0]) * dot(x, z) + num(args[1])
        lo, hi = exp(-2 * abs(v))
        t = (1 - hi) / (1 + hi), (1 - lo) / (1 + lo)
        return t if v > 0 else scale(-1, t)
    values = [kernel(a, x, z) for a in (args[1:] if name == 'power' else args)]
    total = exact(0 if name == 'sum' else 1)
    for v in values * (args[0] if name == 'power' else 1): total = add(total, v) if name == 'sum' else times(total, v)
    return total

class Point:  # sum of coefficient phi(x)
    def __init__(self, k, terms):
        self.k, self.terms = k, terms
        if not k:
            w = {}
            for a, x in terms:
                for j, v in x.items(): w[j] = w.get(j, 0) + a * v
            self.w = w
    def score(self, x):
        if not self.k: return exact(dot(self.w, x))
        total = exact(0)
        for a, z in self.terms: total = add(total, scale(a, kernel(self.k, z, x)))
        return total
    def norm(self):
        if not self.k: return exact(dot(self.w, self.w))
        total = exact(0)
        for a, x in self.terms: total = add(total, scale(a, self.score(x)))
        return total
def norm2(k, x): return kernel(k or ['linear'], x, x)
def up(v, bits=200): return F(math.isqrt(math.ceil(v * 4**bits)) + 1, 2**bits)  # a root, from above

def separator(s, k, rows, d):
    if k: p = Point(k, [(a, rows[i - 1][1]) for i, a in pairs(s['rows']) if need(i <= len(rows), 'row') is None])
    else: p = Point(None, [(a, {j: F(1)}) for j, a in pairs(s['w']) if need(j <= d, 'column') is None])
    return p, num(s.get('b', 0))
def combine(array, k, rows):
    a = pairs(array)
    need(all(v >= 0 and i <= len(rows) for i, v in a), 'multipliers')
    return Point(k, [(v * rows[i - 1][0], rows[i - 1][1]) for i, v in a]), a, sum(v * rows[i - 1][0] for i, v in a)

# ---- claims ----
def multipliers(c, rows, bound):
    u, a, turn = combine(c['multipliers'], c.get('kernel'), rows)
    total = sum(v for _, v in a)
    need(total > 0 and (turn == 0 or not c['offset']), 'sums')
    need(bound >= 0 and u.norm()[1] <= bound ** 2 * total ** 2, 'multipliers and bound')

def separable(c, rows, test):
    p, b = separator(c['separator'], c.get('kernel'), rows, c['columns'])
    need(c['offset'] or b == 0, 'b')
    least = min(scale(y, add(p.score(x), exact(b)))[0] for y, x in rows)
    need(least > 0, 'not a separator')
    if 'margin' not in c: return
    low, w2 = num(c['margin']['low']), p.norm()[1]
    need(w2 > 0 and low >= 0 and low ** 2 * w2 <= least ** 2, 'low')
    if 'high' in c['margin']: multipliers(c, rows, num(c['margin']['high']))
    else: need('multipliers' not in c, 'multipliers')

def not_separable(c, rows, test): multipliers(c, rows, num(c.get('epsilon', 0)))

def mistakes(c, rows, test):
    if c['learner'] == 'experts': return experts(c, rows)
    counts = c['updates']
    pairs(counts)
    k, n = c['total'], len(rows)
    need(all(type(v) is int and v >= 1 and i <= n for i, v in counts) and sum(v for _, v in counts) == k <= 10**15, 'counts')
    if c['learner'] == 'winnow': return winnow(c, rows, {i: v for i, v in counts})
    kern, rate, tau = c.get('kernel'), num(c.get('rate', 1)), num(c.get('margin_target', 0))
    soft2 = num(c['soft']) ** 2 if 'soft' in c else F(0)
    need(rate > 0 and tau >= 0 and ('soft' not in c or num(c['soft']) > 0 and 'functional_margin' in c and 'passes' not in c), 'rate')
    r2 = max(norm2(kern, x)[0] for _, x in rows)
    c2 = {'none': 0, 'unit': 1, 'append': num(c.get('constant', 0)) ** 2, 'r2': r2}[c['offset']]
    need(c2 > 0 or c['offset'] == 'none', 'constant')
    length = lambda w2, b: w2 + (F(b) ** 2 / c2 if c2 else 0)
    u, _, turn = combine(counts, kern, rows)
    b, reach = c2 * turn, r2 + c2 + soft2 + 2 * tau / rate
    need(length(u.norm()[1], b) + soft2 * sum(v * v for _, v in counts) <= k * reach, 'growth')
    if 'model' in c:
        m, own = c['model'], dict(((i, v * rows[i - 1][0]) for i, v in counts) if kern else u.w)
        given, within = dict(pairs(m['rows' if kern else 'w'])), num(m.get('within', 0))
        need(all(abs(given.get(j, 0) - rate * own.get(j, 0)) <= within for j in given.keys() | own.keys()), 'model')
        need(abs(num(m.get('b', 0)) - rate * b) <= within, 'model b')
    if c.get('converged'):
        for i, (y, x) in enumerate(rows, 1):
            s = (scale(y, add(u.score(x), exact(b)))[0] + soft2 * dict(counts).get(i, 0)) * rate
            need(s >= tau if tau else s > 0, 'converged')
    p, pb = separator(c['separator'], kern, rows, c['columns'])
    need(c2 or pb == 0, 'b')
    ys = [scale(y, add(p.score(x), exact(pb))) for y, x in rows]
    big = reach * length(p.norm()[0], pb)
    if 'functional_margin' not in c:
        need(min(lo for lo, _ in ys) > 0 and k * min(hi for _, hi in ys) ** 2 <= big, 'bound')
        return
    g, passes = num(c['functional_margin']), c.get('passes')
    if soft2:
        d2 = sum(max(0, g - hi) ** 2 for _, hi in ys)
        return need(g > 0 and k * g * g <= reach * (length(p.norm()[0], pb) + d2 / soft2), 'bound')
    need(g > 0 and all(v <= passes for _, v in counts), 'passes')
    d2 = passes * sum(max(0, g - hi) ** 2 for _, hi in ys)
    rest = k * g * g - big - d2
    need(rest <= 0 or rest ** 2 <= 4 * big * d2, 'bound')

def winnow(c, rows, counts):
    alpha, d, balanced, first = num(c['alpha']), c['columns'], c['variant'] == 'balanced', c['variant'] == 'winnow1'
    need(alpha > 1 and (balanced or first or c['variant'] == 'winnow2'), 'winnow')
    theta, total = F(1) if balanced else num(c['threshold']), sum(counts.values())
    p = sum(v for i, v in counts.items() if rows[i - 1][0] > 0)
    need(theta > 0 and (balanced or total - p <= (d / theta + (alpha - 1) * p if first else alpha * d / ((alpha - 1) * theta) + alpha * p)), 'demotions')
    if balanced or 'separator' in c: return winnow_separator(c, rows, total, alpha, theta, balanced, first)
    target = ascending(c['disjunction'], d)
    need(theta >= 1 and target, 'disjunction')
    for y, x in rows: need(all(v == 1 for v in x.values()) and (y > 0) == any(j in x for j in target), 'disjunction')
    need(p <= len(target) or alpha ** (p - len(target)) <= theta ** len(target), 'promotions')

def winnow_separator(c, rows, k, alpha, theta, balanced, first):
    (v, b), clip, n, L = separator(c['separator'], None, rows, c['columns']), num(c.get('clip', 0)), F(c['columns']), ln(alpha)
    need(0 <= clip <= F(1, 1000) and all(-clip <= t <= 1 + clip for _, x in rows for t in x.values()), 'values')
    need(b == 0 or balanced and {'none': 0, 'unit': 1}[c['offset']], 'b')
    s = [(y, dot(v.w, {j: min(max(t, F(0)), F(1)) for j, t in x.items()}) + b) for y, x in rows]
    low, high = min((t for y, t in s if y > 0), default=None), max((t for y, t in s if y < 0), default=F(0))
    weights = [abs(t) for t in [*v.w.values(), b] if t]
    V = sum(weights)
    H = ln(V)[1] - sum(t * ln(t)[0] for t in weights) / V
    if balanced:
        g, C = min(y * t for y, t in s), ln((alpha + 1 / alpha) / 2)
        need(g > 0 and L[0] * g / V > C[1], 'margin')
        return need(k <= (ln(2 * (n + {'none': 0, 'unit': 1}[c['offset']]))[0] - H) / (L[1] * g / V - C[0]), 'bound')
    need(all(t >= 0 for t in v.w.values()) and low is not None and low > high and (high == 0 if first else low > alpha * high), 'sides')
    S, delta = V / low, alpha - 1
    K = alpha if first else (1 + alpha) / (alpha * (low - high) / low - delta)
    inner = K * S * (ln(S * delta * theta * K / (K - 1) / L[1])[0] - 1 - H)
    need(k <= inner / L[inner > 0] + (K - 1) * n / (delta * theta), 'bound')

def sign_root(a, b, beta):  # of a + b sqrt(beta)
    s, t = (a > 0) - (a < 0), (b > 0) - (b < 0)
    if s * t >= 0: return s or t
    return s if a * a > b * b * beta else t if a * a < b * b * beta else 0

def experts(c, rows):
    beta, d, sides = num(c['beta']), c['columns'], (1, -1) if c['negated'] else (1,)
    need(0 < beta < 1 and 0 < c['passes'] <= 10000, 'beta')
    half, silent, m = {(j, s): 0 for j in range(1, d + 1) for s in sides}, set(ascending(c.get('abstain', []), d)), 0
    for y, x in rows * c['passes']:
        vote = {(j, s): s * (0 if j in silent and j not in x else 1 if x.get(j, 0) > 0 else -1) for j, s in half}
        least, sums = min(half.values()), [F(0), F(0)]
        for e, v in vote.items(): sums[(half[e] - least) % 2] += v * beta ** ((half[e] - least) // 2)
        said = sign_root(*sums, beta) or {'negative': -1, 'positive': 1, 'mistake': -y}[c['tie']]
        m += said != y
        for e, v in vote.items(): half[e] += 1 - y * v
    best = c['best']
    own = half[best['column'], -1 if best['negated'] else 1]
    need(m == c['total'] and own == min(half.values()) == 2 * num(best['mistakes']), 'experts')
    need((2 / (1 + beta)) ** (2 * m) <= len(half) ** 2 / beta ** own, 'bound')

def optimal(c, rows, test):
    kern, squared, offset = c.get('kernel'), c['loss'] == 'squared hinge', c['offset']
    cost = {-1: num(c['cost']['negative']), 1: num(c['cost']['positive'])}
    need(min(cost.values()) > 0 and c['loss'] in ('hinge', 'squared hinge') and offset in ('free', 'none', 'regularized'), 'problem')
    p, b = separator(c['separator'], kern, rows, c['columns'])
    need(offset != 'none' or b == 0, 'b')
    own = b if offset == 'regularized' else 0
    primal = (p.norm()[1] + own ** 2) / 2
    for y, x in rows: primal += cost[y] * max(0, 1 - scale(y, add(p.score(x), exact(b)))[0]) ** (2 if squared else 1)
    u, a, turn = combine(c['dual'], kern, rows)
    need(squared or all(v <= cost[rows[i - 1][0]] for i, v in a), 'dual')
    need(offset != 'free' or turn == 0, 'sum a y')
    dual = sum(v - (v * v / (4 * cost[rows[i - 1][0]]) if squared else 0) for i, v in a) - u.norm()[1] / 2
    dual -= turn ** 2 / 2 if offset == 'regularized' else 0
    need(primal - dual <= num(c['gap']), 'gap')
    return p, b, cost, squared, primal - dual

def stable(c, rows, test):
    p, b, cost, squared, gap = optimal(c, rows, test)
    kern, one = c.get('kernel'), 1 if c['offset'] == 'regularized' else 0
    rho = lambda x: up(2 * max(gap, 0) * (norm2(kern, x)[1] + one)) if gap > 0 else F(0)
    need(('offset_interval' in c) == (c['offset'] == 'free'), 'interval')
    low = high = b
    if c['offset'] == 'free':
        low, high = map(num, c['offset_interval'])
        for end, way in ((low, 1), (high, -1)):
            g = F(0)
            for y, x in rows:
                z = p.score(x)
                lack = 1 - y * ((z[1] + rho(x) if way > 0 else z[0] - rho(x)) + end)
                if lack > 0 or (lack == 0 and way * y < 0): g -= y * cost[y] * (lack if squared else 1)
            need(g * way < 0, 'offset')
    seen = test if c['file'] == 'test' else rows
    ascending(c['may_change'], len(seen))
    for i, (y, x) in enumerate(seen, 1):
        if i in c['may_change']: continue
        (lo, hi), r = p.score(x), rho(x)
        at_low, at_high = lo - r + low, hi + r + high
        need((at_low > 0 or (at_low == 0 and c['offset'] == 'free')) and lo + b > 0
             or (at_high < 0 or (at_high == 0 and c['offset'] == 'free')) and hi + b < 0, 'row %d' % i)

def gram(c, rows, test):
    k = c['kernel']
    if not c['psd']:
        total, z = exact(0), [(a, rows[i - 1][1]) for i, a in pairs(c['z'])]
        for a, x in z:
            for b, y in z: total = add(total, scale(a * b, kernel(k, x, y)))
        return need(total[1] < 0, "z'Kz")
    x = [rows[i - 1][1] for i in ascending(c.get('rows', list(range(1, len(rows) + 1))), len(rows))]
    n = len(x)
    if 'factor' in c:
        B = [[num(v) for v in row] for row in c['factor']]
        need(len(B) == n and all(len(row) <= n for row in B), 'factor')
        for i in range(n):
            left = F(0)
            for j in range(n):
                e = add(kernel(k, x[i], x[j]), exact(-sum(p * q for p, q in zip(B[i], B[j]))))
                left += e[0] if i == j else -max(abs(e[0]), abs(e[1]))
            need(left >= 0, 'dominated')
        return
    K = [[kernel(k, x[i], x[j]) for j in range(n)] for i in range(n)]
    need(all(v[0] == v[1] for row in K for v in row), 'inexact')
    K = [[v[0] for v in row] for row in K]
    for k in range(n):
        need(K[k][k] >= 0 and (K[k][k] or not any(K[k][k:])), 'pivot')
        for i in range(k + 1, n) if K[k][k] else ():
            f = K[i][k] / K[k][k]
            for j in range(k, n): K[i][j] -= f * K[k][j]

def alike(data, test, sides, others):  # the same text is the same row in both files
    field = lambda f: (f['kind'], f.get('values'), bool(f.get('indicator')), num(f['mean']) if 'mean' in f else None)
    reading = lambda t: (t['format'], t.get('index_base'), t.get('separator'), t.get('missing', 'error'), [field(f) for f in t.get('fields', [])])
    need(reading(data) == reading(test) and data['sha256'] != test['sha256'], 'files')
    need(all(sides.get(name, y) == y for name, y in others.items()), 'opposite labels')

def error(c, rows, test):
    p, b = separator(c['separator'], c.get('kernel'), rows, c['columns'])
    seen, n, m, shared = {frozenset(x.items()) for _, x in rows + c['left_out']}, 0, 0, 0
    for y, x in test:
        if frozenset(x.items()) in seen: shared += 1; continue
        lo, hi = add(p.score(x), exact(b))
        s = 1 if lo > 0 else -1 if hi < 0 else {'negative': -1, 'positive': 1, 'mistake': 0}[c['tie']] if lo == hi == 0 else 0
        n, m = n + 1, m + (s != y)
    need((shared, n, m) == (c.get('shared', 0), c['rows'], c['mistakes']) and n > 0, 'counts')
    delta, upper = num(c['delta']), num(c['upper'])
    need(0 < delta < 1 and 0 < upper <= 1, 'delta')
    A, Q = upper.numerator, upper.denominator
    tail = sum(math.comb(n, k) * A ** k * (Q - A) ** (n - k) for k in range(m + 1))
    need(upper == 1 or tail * delta.denominator <= delta.numerator * Q ** n, 'tail')

CLAIMS = {'separable': separable, 'not separable': not_separable, 'mistakes': mistakes, 'optimal': optimal,
          'stable predictions': stable, 'kernel': gram, 'error': error}

def legal(k, any_constant):
    values = [v for v in k[1:] if not isinstance(v, list)]
    need(all(num(v) >= 0 for v in values) or any_constant and k[0] not in ('rbf', 'laplace'), 'constants')
    need(k[0] != 'sigmoid' or any_constant, 'sigmoid')
    need(k[0] not in ('poly', 'power') or 1 <= k[1] <= 100, 'power')
    for v in k[1:]:
        if isinstance(v, list): legal(v, any_constant)

def names(k): return {k[0]}.union(*(names(v) for v in k[1:] if isinstance(v, list)))

def once(items):
    need(len(dict(items)) == len(items), 'a member twice')
    return dict(items)

def check(cert, data, test=None):
    try:
        c = json.loads(open(cert, 'rb').read().decode(), parse_float=str, parse_int=lambda s: s if s[0] == '-' else int(s),
                       object_pairs_hook=once)
        need(c['format'] == 'halfspace certificate' and c['version'] == 1 and c['claims'], 'format')
        need(('test' in c) == (test is not None), 'test')
        transform = c.get('transform', [])
        rows, left_out, sides = read(c['data'], data, transform)
        others, _, other_sides = read(c['test'], test, transform) if test else (None, None, None)
        for claim in c['claims']:
            if 'kernel' in claim:
                legal(claim['kernel'], claim['claim'] == 'kernel')
                need('intersection' not in names(claim['kernel']) or all(v >= 0 for _, x in rows + (others or []) for v in x.values()), 'values below 0')
            if claim['claim'] == 'error': alike(c['data'], c['test'], sides, other_sides)
            CLAIMS[claim['claim']](claim | {'columns': c['data']['columns'], 'left_out': left_out}, rows, others)
    except (Reject, ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError) as e:
        return '%s: %s' % (type(e).__name__, e)
    return None

if __name__ == '__main__':
    why = check(*sys.argv[1:])
    print('rejected: ' + why if why else 'verified')
    sys.exit(1 if why else 0)
