#!/usr/bin/env python3
"""A second checker of certificates: check.py CERT DATA [TEST]

Written from docs/certificates.md alone, with fractions, for small files. Exit 0: every claim holds; 1: rejected.
Numbers and files that are too long for the first checker are not its business.
"""
import decimal, hashlib, json, math, re, sys
from fractions import Fraction as F

class Reject(Exception): pass
def need(so, why):
    if not so: raise Reject(why)

DECIMAL = re.compile(r'[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?')
def num(v):
    need(type(v) in (str, int), 'a number is %s' % type(v).__name__)
    v = str(v)
    need(DECIMAL.fullmatch(v) or re.fullmatch(r'-?[0-9]+/[0-9]+', v), 'number ' + v[:40])
    return F(v)
def count(v):
    need(type(v) is int and 0 <= v < 10**15, 'a count')
    return v
def flag(v):
    need(type(v) is bool, 'true or false')
    return v
def one_of(v, *words):
    need(type(v) is str and v in words, 'one of ' + ', '.join(words))
    return v
def only(d, members):
    need(type(d) is dict, 'an object')
    for k, v in d.items(): need(k in members.split() or k == 'note' and type(v) is str, 'member ' + k)
    return d
def ascending(array, most=10**15):
    need(type(array) is list and all(type(i) is int for i in array) and all(a < b for a, b in zip([0] + array, array + [most + 1])), 'order')
    return array
def pairs(array):
    need(type(array) is list and all(type(p) is list and len(p) == 2 for p in array), 'pairs')
    ascending([i for i, _ in array])
    return [(i, num(v)) for i, v in array]

# ---- text: bytes, one character each ----
def plain(v):
    """A label or a value of a category: a string, or {"hex": ...} of bytes that are not UTF-8."""
    if type(v) is str: return v.encode().decode('latin-1')
    need(re.fullmatch('([0-9a-f]{2})+', only(v, 'hex')['hex']) and '00' not in re.findall('..', v['hex']), 'hex')
    data = bytes.fromhex(v['hex'])
    try: data.decode()
    except UnicodeDecodeError: return data.decode('latin-1')
    raise Reject('hex of UTF-8')
def label(text): return F(text) if DECIMAL.fullmatch(text) else text
def missing(text): return text.lower() in ('', '?', 'na', 'nan')

def records(text, sep):
    """The records of a table: lists of (field, was it in quotes?)."""
    at, end, blanks = 0, len(text), ' \t'.replace(sep, '')
    while at < end:
        record, more = [], True
        while more:
            while at < end and (text[at] in blanks or sep == ' ' == text[at]): at += 1
            field, quoted, tail = '', at < end and text[at] == '"', ''
            if quoted:
                m = re.compile('"((?:[^"]|"")*)"').match(text, at)
                need(m, 'a quote is not closed')
                field, at = m[1].replace('""', '"'), m.end()
            while at < end and text[at] not in (sep, '\n') and text[at] != '\r': tail += text[at]; at += 1
            need('"' not in tail and not (quoted and tail.strip(blanks)), 'a quote inside a field')
            if not quoted: field = tail.rstrip(blanks)
            record.append((field, quoted))
            while sep == ' ' and at < end and text[at] == ' ': at += 1
            if at < end and text[at] == '\r':
                at += 1
                need(at == end or text[at] == '\n', 'carriage return')
            more = at < end and text[at] != '\n' and (sep == ' ' or text[at] == sep)
            if not (sep == ' ' and more): at += 1
        if record != [('', False)]: yield record

# ---- rows: (y, {column: value}) ----
def fields_of(t):
    """The fields of a table, checked; how many features each makes."""
    how = one_of(t.get('missing', 'error'), 'error', 'drop', 'mean', 'indicator')
    need(type(t['fields']) is list, 'fields')
    for f in t['fields']:
        kind = one_of(f['kind'], 'label', 'ignored', 'number', 'category', 'ordinal')
        only(f, {'label': 'kind', 'ignored': 'kind', 'number': 'kind mean indicator', 'category': 'kind values codes unseen indicator',
                 'ordinal': 'kind values codes unseen mean indicator'}[kind])
        for k in ('codes', 'unseen', 'indicator'): flag(f.get(k, False))
        need('mean' not in f or how == 'mean' and num(f['mean']) is not None, 'mean')
        need(not f.get('indicator') or how == 'indicator', 'indicator')
        if kind in ('category', 'ordinal'):
            need(type(f['values']) is list, 'values')
            values = f['places'] = [plain(v) for v in f['values']]
            need(values and len(set(values)) == len(values), 'values')
            need(all(DECIMAL.fullmatch(v) for v in values) == f.get('codes', False), 'codes')
        f['own'] = len(f['values']) if kind == 'category' else int(kind in ('number', 'ordinal'))
        f['seen'] = set()
    need([f['kind'] for f in t['fields']].count('label') == 1, 'one label')
    need(sum(f['own'] + f.get('indicator', False) for f in t['fields']) == t['columns'], 'columns')
    return how

def features(t, how, record):
    x, column, y, lacks, now = {}, 1, None, False, []
    need(len(record) == len(t['fields']), 'fields')
    for f, (text, quoted) in zip(t['fields'], record):
        kind, own = f['kind'], f['own']
        if kind == 'label':
            if missing(text) and not quoted:
                need(how != 'error', 'missing label')
                lacks = True
            else: y = label(text)
        elif kind != 'ignored':
            if missing(text):
                need(how != 'error', 'missing value')
                lacks = lacks or how == 'drop'
                if how == 'mean' and kind != 'category': x[column] = num(f['mean'])
                if how == 'indicator' and f.get('indicator'): x[column + own] = F(1)
            elif kind == 'number':
                need(DECIMAL.fullmatch(text), 'number')
                x[column] = F(text)
            else:
                need(kind == 'category' or text in f['places'], 'ordinal')
                if text in f['places']:
                    place = f['places'].index(text)
                    now.append((f, text))
                    x[column + (place if kind == 'category' else 0)] = F(1 if kind == 'category' else place)
        column += own + f.get('indicator', False)
    return (None if lacks else y), lacks, x, now

def read(t, path, transform, name):
    data = open(path, 'rb').read()
    need(type(t['file']) is str and re.fullmatch('[0-9a-f]{64}', t['sha256']), 'sha256')
    need(hashlib.sha256(data).hexdigest() == t['sha256'], 'sha256')
    need(count(t['rows']) and count(t['columns']) < 2**32 - 1, 'columns')
    need(type(t['negative']) is list and type(t['positive']) is list, 'labels')
    sides = {label(plain(v)): -1 for v in t['negative']} | {label(plain(v)): 1 for v in t['positive']}
    need(len(sides) == len(t['negative']) + len(t['positive']), 'labels')
    drop = one_of(t.get('others', 'error'), 'error', 'drop') == 'drop'
    text, rows, left_out, found = data.decode('latin-1').removeprefix('\xef\xbb\xbf'), [], [], []
    base = 'file sha256 rows columns format negative positive others '
    if one_of(t['format'], 'csv', 'libsvm') == 'csv':
        only(t, base + 'separator header missing fields')
        need(type(t['separator']) is str and re.fullmatch('[\t -~]', t['separator']) and not re.fullmatch('[A-Za-z0-9+.\"-]', t['separator']), 'separator')
        how = fields_of(t)
        found = [features(t, how, r) for r in list(records(text, t['separator']))[1 if flag(t['header']) else 0:]]
    else:
        only(t, base + 'index_base')
        need(t['index_base'] in (0, 1) and type(t['index_base']) is int, 'index_base')
        for line in text.split('\n'):
            words = [w for w in re.split('[ \t\r]+', line.split('#')[0]) if w]
            if not words: continue
            need(':' not in words[0], 'no label')
            x = [re.fullmatch('([0-9]{1,11}):(.*)', w) for w in words[1:] if not w.startswith('qid:')]
            need(all(m and DECIMAL.fullmatch(m[2]) for m in x), 'index:value')
            ascending([int(m[1]) - t['index_base'] + 1 for m in x], t['columns'])
            found.append((label(words[0]), False, {int(m[1]) - t['index_base'] + 1: F(m[2]) for m in x}, []))
    for y, lacks, x, now in found:
        need(lacks or y in sides or drop, 'label')
        if lacks: continue
        for j, offset, factor in transform: x[j] = (x.get(j, 0) - offset) * factor
        (rows if y in sides else left_out).append((sides.get(y), {j: v for j, v in x.items() if v}))
        if y in sides:
            for f, value in now: f['seen'].add(value)
    need(len(rows) == t['rows'] > 0, 'rows')
    for f in t.get('fields', []):
        if 'values' in f and name == 'data': need(f['seen'] and (f.get('unseen') or len(f['seen']) == len(f['values'])), 'a value that no row has')
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
        if not e: return F(0), F(1, 2**192)  # it is not 0
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
    only(s, 'rows b' if k else 'w b')
    return point(s, k, rows, d)
def point(s, k, rows, d):
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
    need(all(v > 0 for _, v in a) and total > 0 and (turn == 0 or not c['offset']), 'sums')
    need(bound >= 0 and u.norm()[1] <= bound ** 2 * total ** 2, 'multipliers and bound')

def separable(c, rows, test):
    only(c, 'claim offset kernel separator margin multipliers' + EXTRA)
    p, b = separator(c['separator'], c.get('kernel'), rows, c['columns'])
    need(flag(c['offset']) or b == 0, 'b')
    least = min(scale(y, add(p.score(x), exact(b)))[0] for y, x in rows)
    need(least > 0, 'not a separator')
    need(('multipliers' in c) == ('high' in c.get('margin', {})), 'multipliers')
    if 'margin' not in c: return
    only(c['margin'], 'low high')
    low, w2 = num(c['margin']['low']), p.norm()[1]
    need(w2 > 0 and low >= 0 and low ** 2 * w2 <= least ** 2, 'low')
    if 'high' in c['margin']: multipliers(c, rows, num(c['margin']['high']))

def not_separable(c, rows, test):
    only(c, 'claim offset kernel multipliers epsilon' + EXTRA)
    flag(c['offset'])
    multipliers(c, rows, num(c.get('epsilon', 0)))

def mistakes(c, rows, test):
    {'experts': experts, 'winnow': winnow, 'perceptron': perceptron}[c['learner']](c, rows)

def replay(c, rows, wrong, update):
    """The updates of each row, by number; wrong(i, y, x) and update(i, y, x)."""
    counts, cyclic = {}, one_of(c['order'], 'cyclic', 'sequence') == 'cyclic'
    need(('sequence' in c) != cyclic and (not cyclic or c['passes'] > 0), 'order')
    passes = count(c['passes']) if 'passes' in c else None
    def learn(i):
        update(i, *rows[i - 1])
        counts[i] = counts.get(i, 0) + 1
    if cyclic:
        for _ in range(passes):
            before = sum(counts.values())
            for i, (y, x) in enumerate(rows, 1):
                if wrong(i, y, x): learn(i)
            if sum(counts.values()) == before: break
    else:
        for i in c['sequence']:
            need(1 <= count(i) <= len(rows) and wrong(i, *rows[i - 1]), 'no mistake')
            learn(i)
    need(sum(counts.values()) == count(c['total']), 'total')
    need(passes is None or max(counts.values(), default=0) <= passes != 0, 'passes')
    if flag(c.get('converged', False)): need(not any(wrong(i, y, x) for i, (y, x) in enumerate(rows, 1)), 'converged')
    return passes

def perceptron(c, rows):
    only(c, 'claim learner offset constant rate margin_target tie kernel order passes sequence total model converged separator functional_margin soft' + EXTRA)
    kern, rate, tau = c.get('kernel'), num(c.get('rate', 1)), num(c.get('margin_target', 0))
    soft2 = num(c['soft']) ** 2 if 'soft' in c else F(0)
    tie = {'negative': 1, 'positive': -1, 'mistake': 0}[c.get('tie', 'mistake')]
    need(rate > 0 and tau >= 0 and ('soft' not in c or num(c['soft']) > 0 and 'functional_margin' in c), 'rate')
    norms = [norm2(kern, x) for _, x in rows]
    r2 = max(lo for lo, _ in norms)
    need(c['offset'] != 'r2' or r2 == max(hi for _, hi in norms), 'R^2')
    need((c['offset'] == 'append') == ('constant' in c), 'constant')
    c2 = {'none': F(0), 'unit': F(1), 'append': num(c.get('constant', 0)) ** 2, 'r2': r2}[c['offset']]
    need(c2 > 0 or c['offset'] == 'none', 'constant')
    state = {'terms': {}, 'turn': 0, 'w': {}}
    def wrong(i, y, x):
        u = exact(dot(state['w'], x)) if not kern else Point(kern, [(a, rows[k - 1][1]) for k, a in state['terms'].items()]).score(x)
        lo, hi = add(scale(y, add(u, exact(c2 * state['turn']))), exact(soft2 * abs(state['terms'].get(i, 0))))
        equal = tau == 0 and tie in (0, y)
        if hi < tau / rate or hi == tau / rate and equal: return True
        need(lo > tau / rate or lo == tau / rate and not equal, 'undecided')
        return False
    def update(i, y, x):
        state['terms'][i] = state['terms'].get(i, 0) + y
        state['turn'] += y
        for j, v in x.items(): state['w'][j] = state['w'].get(j, 0) + y * v
    passes = replay(c, rows, wrong, update)
    k, reach = c['total'], r2 + c2 + soft2 + 2 * tau / rate
    length = lambda w2, b: w2 + (F(b) ** 2 / c2 if c2 else 0)
    if 'model' in c:
        m = only(c['model'], 'rows b within' if kern else 'w b within')
        own = state['terms'] if kern else state['w']
        given, within = dict(pairs(m['rows' if kern else 'w'])), num(m.get('within', 0))
        need(all(1 <= j <= (len(rows) if kern else c['columns']) for j in given), 'model')
        need(all(abs(given.get(j, 0) - rate * own.get(j, 0)) <= within for j in given.keys() | own.keys()), 'model')
        need(abs(num(m.get('b', 0)) - rate * c2 * state['turn']) <= within, 'model b')
    p, pb = separator(c['separator'], kern, rows, c['columns'])
    need(c2 or pb == 0, 'b')
    ys = [scale(y, add(p.score(x), exact(pb))) for y, x in rows]
    big = reach * length(p.norm()[0], pb)
    if 'functional_margin' not in c:
        need(min(lo for lo, _ in ys) > 0 and k * min(hi for _, hi in ys) ** 2 <= big, 'bound')
        return
    g = num(c['functional_margin'])
    if soft2:
        d2 = sum(max(0, g - hi) ** 2 for _, hi in ys)
        return need(g > 0 and k * g * g <= reach * (length(p.norm()[0], pb) + d2 / soft2), 'bound')
    need(g > 0 and passes, 'passes')
    d2 = passes * sum(max(0, g - hi) ** 2 for _, hi in ys)
    rest = k * g * g - big - d2
    need(rest <= 0 or rest ** 2 <= 4 * big * d2, 'bound')

def power(alpha, e):
    """alpha^e, enclosed."""
    if e.denominator == 1: return exact(alpha ** int(e))
    lo, hi = sorted(t * abs(e) for t in ln(alpha))
    low, high = exp(-hi)[0], exp(-lo)[1]
    return (low, high) if e < 0 else (1 / high, 1 / low)

def winnow(c, rows):
    variant = one_of(c['variant'], 'winnow1', 'winnow2', 'balanced')
    balanced, first = variant == 'balanced', variant == 'winnow1'
    only(c, 'claim learner variant alpha separator clip tie order passes sequence total converged' + (' offset' if balanced else ' threshold') + EXTRA)
    alpha, theta, clip = num(c['alpha']), F(0) if balanced else num(c['threshold']), num(c.get('clip', 0))
    unit = balanced and one_of(c['offset'], 'none', 'unit') == 'unit'
    need(alpha > 1 and (balanced or theta > 0), 'winnow')
    need(0 <= clip <= F(1, 1000) and all(-clip <= t <= 1 + clip for _, x in rows for t in x.values()), 'values')
    clipped = [(y, {j: min(max(t, F(0)), F(1)) for j, t in x.items()} | ({0: F(1)} if unit else {})) for y, x in rows]
    tie = {'negative': 1, 'positive': -1, 'mistake': 0}[c.get('tie', 'positive')]
    e, out = {}, set()
    def wrong(i, y, x):
        s = exact(0)
        for j, t in x.items():
            w = power(alpha, e.get(j, F(0))) if j not in out else exact(0)
            if balanced: w = add(w, scale(-1, power(alpha, -e.get(j, F(0)))))
            s = add(s, scale(t, w))
        lo, hi = scale(y, add(s, exact(-theta)))
        if hi < 0 or hi == 0 and tie in (0, y): return True
        need(lo > 0 or lo == 0 and tie not in (0, y), 'undecided')
        return False
    def update(i, y, x):
        for j, t in x.items():
            if not t: continue
            e[j] = e.get(j, F(0)) + y * t
            if first and y < 0: out.add(j)
    replay(c, clipped, wrong, update)
    winnow_separator(c, clipped, c['total'], alpha, theta, balanced, first, unit)

def winnow_separator(c, rows, k, alpha, theta, balanced, first, unit):
    (v, b), n, L = separator(c['separator'], None, rows, c['columns']), F(c['columns']), ln(alpha)
    need(b == 0 or unit, 'b')
    s = [(y, dot(v.w, x) + b) for y, x in rows]
    low, high = min((t for y, t in s if y > 0), default=None), max((t for y, t in s if y < 0), default=F(0))
    weights = [abs(t) for t in [*v.w.values(), b] if t]
    V = sum(weights)
    need(V > 0 and L[0] > 0, 'weight')
    H = ln(V)[1] - sum(t * ln(t)[0] for t in weights) / V
    if balanced:
        g, C = min(y * t for y, t in s), ln((alpha + 1 / alpha) / 2)
        need(g > 0 and L[0] * g / V > C[1], 'margin')
        return need(k <= (ln(2 * (n + unit))[0] - H) / (L[1] * g / V - C[0]), 'bound')
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
    only(c, 'claim learner beta negated abstain tie passes total best' + EXTRA)
    flag(c['negated']), count(c['passes']), count(c['total']), one_of(c['tie'], 'negative', 'positive', 'mistake')
    flag(only(c['best'], 'column negated mistakes')['negated']), count(c['best']['column'])
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
    only(c, 'claim kernel loss offset cost separator dual gap' + (' file offset_interval may_change' if c['claim'] != 'optimal' else '') + EXTRA)
    only(c['cost'], 'negative positive')
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
    seen = test if one_of(c['file'], 'data', 'test') == 'test' else rows
    ascending(c['may_change'], len(seen))
    for i, (y, x) in enumerate(seen, 1):
        if i in c['may_change']: continue
        (lo, hi), r = p.score(x), rho(x)
        at_low, at_high = lo - r + low, hi + r + high
        need((at_low > 0 or (at_low == 0 and c['offset'] == 'free')) and lo + b > 0
             or (at_high < 0 or (at_high == 0 and c['offset'] == 'free')) and hi + b < 0, 'row %d' % i)

def gram(c, rows, test):
    k = c['kernel']
    only(c, ('claim kernel rows psd factor' if flag(c['psd']) else 'claim kernel psd z') + EXTRA)
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
    field = lambda f: (f['kind'], f.get('places'), bool(f.get('indicator')), num(f['mean']) if 'mean' in f else None)
    reading = lambda t: (t['format'], t.get('index_base'), t.get('separator'), t.get('missing', 'error'), [field(f) for f in t.get('fields', [])])
    need(reading(data) == reading(test) and data['sha256'] != test['sha256'], 'files')
    need(all(sides.get(name, y) == y for name, y in others.items()), 'opposite labels')

def error(c, rows, test):
    only(c, 'claim kernel separator tie shared rows mistakes delta upper' + EXTRA)
    count(c.get('shared', 0)), count(c['rows']), count(c['mistakes']), one_of(c['tie'], 'negative', 'positive', 'mistake')
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

EXTRA = ' columns left_out'  # what check() adds to a claim
CLAIMS = {'separable': separable, 'not separable': not_separable, 'mistakes': mistakes, 'optimal': optimal,
          'stable predictions': stable, 'kernel': gram, 'error': error}

ARGUMENTS = {'linear': '', 'poly': 'nc', 'rbf': 'c', 'laplace': 'c', 'intersection': '', 'sigmoid': 'cc', 'const': 'c', 'power': 'nk'}
def legal(k, any_constant):
    need(type(k) is list and k and type(k[0]) is str, 'kernel')
    kinds = ARGUMENTS[k[0]] if k[0] in ARGUMENTS else 'k' * (len(k) - 1)
    need((k[0] in ARGUMENTS or k[0] in ('sum', 'product') and 1 < len(k) < 66) and len(kinds) == len(k) - 1, 'kernel')
    need(k[0] != 'sigmoid' or any_constant, 'sigmoid')
    for kind, v in zip(kinds, k[1:]):
        if kind == 'n': need(type(v) is int and 1 <= v <= 100, 'power')
        elif kind == 'c': need(num(v) >= 0 or any_constant and k[0] not in ('rbf', 'laplace'), 'constants')
        else: legal(v, any_constant)

def names(k): return {k[0]}.union(*(names(v) for v in k[1:] if isinstance(v, list)))

def once(items):
    need(len(dict(items)) == len(items), 'a member twice')
    return dict(items)

def check(cert, data, test=None):
    try:
        c = json.loads(open(cert, 'rb').read().decode(), parse_float=str, parse_int=lambda s: s if s[0] == '-' else int(s),
                       object_pairs_hook=once, parse_constant=lambda s: need(False, s))
        only(c, 'format version data test transform model claims made_by')
        need(c['format'] == 'halfspace certificate' and type(c['version']) is int and c['version'] == 2, 'format')
        need(type(c['claims']) is list and c['claims'] and type(c.get('made_by', '')) is str, 'claims')
        need(('test' in c) == (test is not None), 'test')
        if 'model' in c: need(re.fullmatch('[0-9a-f]{64}', only(c['model'], 'sha256')['sha256']), 'model')
        transform = c.get('transform', [])
        need('transform' not in c or type(transform) is list and transform and all(type(t) is list and len(t) == 3 for t in transform), 'transform')
        ascending([t[0] for t in transform], count(c['data']['columns']))
        transform = [(j, num(offset), num(factor)) for j, offset, factor in transform]
        need(all(factor for _, _, factor in transform), 'factor 0')
        rows, left_out, sides = read(c['data'], data, transform, 'data')
        others, _, other_sides = read(c['test'], test, transform, 'test') if test else (None, None, None)
        need(not test or c['test']['columns'] == c['data']['columns'], 'columns')
        for claim in c['claims']:
            need('columns' not in claim and 'left_out' not in claim, 'members')
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
