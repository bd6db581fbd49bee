"""Certificates for small random data, made without the library: what the two checkers are compared on."""
import hashlib, json, math, random
from fractions import Fraction as F
import check

def dyadic(v, bits=30): return F(round(v * 2**bits), 2**bits)
def show(v):
    v = F(v)
    return str(v.numerator) if v.denominator == 1 else '%d/%d' % (v.numerator, v.denominator)
def decimal(v, way, digits=7):
    """v (a rational, or the root of one) rounded to so many decimals, down or up."""
    scaled = v * 10**digits
    n = math.floor(scaled) if way < 0 else math.ceil(scaled)
    return '%s%d.%0*d' % ('-' if n < 0 else '', abs(n) // 10**digits, digits, abs(n) % 10**digits)
def root(v, way, digits=9):
    n = math.isqrt(math.floor(v * 10**(2 * digits)))
    if way > 0 and F(n, 10**digits) ** 2 < v: n += 1
    return '%d.%0*d' % (n // 10**digits, digits, n % 10**digits)

def together(x): return x.get(1, F(0)) + x.get(2, F(0))
def draw(rng, n, d, kind):
    """n rows of d columns, as pairs (y, x), values with few decimals."""
    while True:
        rows = []
        for _ in range(n):
            if kind == 'unit':
                x = {1: F(1, 2)}
                while F(2, 5) < together(x) < 1: x = {j: F(t, 10) for j in range(1, d + 1) if (t := rng.choice([0, 0, *range(11)]))}
            elif kind == 'bits': x = {j: F(1) for j in range(1, d + 1) if rng.random() < .5}
            else: x = {j: v for j in range(1, d + 1) if rng.random() < .8 and (v := F(rng.randint(-40, 40), 10))}
            rows.append([rng.choice((-1, 1)), x])
        if kind == 'separable':
            w = [rng.uniform(-1, 1) for _ in range(d)]
            for r in rows: r[0] = 1 if sum(w[j - 1] * v for j, v in r[1].items()) > .3 else -1
        if kind == 'bits':
            for r in rows: r[0] = 1 if 1 in r[1] or 2 in r[1] else -1
        if kind == 'unit':
            for r in rows: r[0] = 1 if together(r[1]) >= 1 else -1
        if {y for y, _ in rows} == {-1, 1}: return rows

def number(rng, v):
    """One of the ways to write a decimal."""
    text = str(float(v)) if v.denominator > 1 else str(v.numerator)
    return rng.choice([text, text, '%de-1' % (v * 10), text + ('0' if '.' in text else '.0')])
def as_libsvm(rng, rows, d):
    base = rng.choice((0, 1))
    names = rng.choice([('-1', '+1'), ('0', '1.0'), ('no', 'yes')])
    text = ''.join('%s %s%s\n' % (names[y > 0], ' '.join('%d:%s' % (j - 1 + base, number(rng, v)) for j, v in sorted(x.items())),
                                  rng.choice(['', '', ' # note'])) for y, x in rows)
    return text, {'format': 'libsvm', 'index_base': base, 'negative': [names[0].lstrip('+')], 'positive': [names[1].replace('+', '').replace('.0', '')]}
def as_csv(rng, rows, d):
    names, sep = rng.choice([('a', 'b'), ('1', '2')]), rng.choice(',;\t')
    head = rng.random() < .5
    at = rng.randint(0, d)
    lines = []
    for y, x in rows:
        fields = [number(rng, x.get(j, F(0))) for j in range(1, d + 1)]
        fields.insert(at, names[y > 0])
        if rng.random() < .2: fields = ['"%s"' % f for f in fields]
        lines.append(sep.join(fields))
    if head: lines.insert(0, sep.join('c%d' % k for k in range(d + 1)))
    fields = [{'kind': 'number'} for _ in range(d)]
    fields.insert(at, {'kind': 'label'})
    return rng.choice(['\n', '\r\n']).join(lines) + '\n', {'format': 'csv', 'separator': sep, 'header': head, 'fields': fields,
                                                          'negative': [names[0]], 'positive': [names[1]]}
def with_categories(rng, text, spec, rows):
    """One more field or two: a category, an ordinal, a number with gaps; the rows get their features. Else as it was."""
    sep, kinds = spec['separator'], rng.sample(['category', 'ordinal', 'codes', 'gaps'], rng.randint(1, 2))
    how = rng.choice(['error', 'mean', 'indicator'])
    lines = text.splitlines()
    first = 1 if spec['header'] else 0
    for kind in kinds:
        words = {'category': ['red', 'blue', 'caf\u00e9'], 'ordinal': ['low', 'mid', 'high'], 'codes': ['10', '2', '30'], 'gaps': ['1.5', '-2', '0']}[kind]
        f = {'kind': {'category': 'category', 'ordinal': 'ordinal', 'codes': rng.choice(['category', 'ordinal']), 'gaps': 'number'}[kind]}
        used = [rng.choice(words) for _ in rows]
        gaps = [kind == 'gaps' and how != 'error' and rng.random() < .3 for _ in rows]
        if f['kind'] != 'number':
            values = rng.sample(words, 3)
            f['values'] = [v for v in values if v in used] if rng.random() < .7 else values
            if set(f['values']) - set(used): f['unseen'] = True
            if kind == 'codes': f['codes'] = True
        elif how == 'mean': f['mean'] = '1/3'
        elif how == 'indicator': f['indicator'] = True
        column = spec['columns'] + 1
        for i, (y, x) in enumerate(rows):
            lines[first + i] += sep + ('?' if gaps[i] else used[i])
            if gaps[i]: x[column + (how == 'indicator')] = F(1, 3) if how == 'mean' else F(1)
            elif f['kind'] == 'number': x[column] = F(used[i])
            elif f['kind'] == 'ordinal': x[column] = F(f['values'].index(used[i]))
            elif used[i] in f['values']: x[column + f['values'].index(used[i])] = F(1)
            for j in [j for j, v in x.items() if not v]: del x[j]
        spec['columns'] += len(f['values']) if f['kind'] == 'category' else 1 + (f.get('indicator', False))
        spec['fields'].append(f)
        if first: lines[0] += sep + 'more'
    if how != 'error': spec['missing'] = how
    return '\n'.join(lines) + '\n'

def table(rng, rows, d, name):
    text, spec = rng.choice([as_libsvm, as_csv])(rng, rows, d)
    return text, {'file': name, 'sha256': hashlib.sha256(text.encode()).hexdigest(), 'rows': len(rows), 'columns': d} | spec

# ---- solvers, in floats ----
def gram(rows, k):
    return [[float(check.kernel(k or ['linear'], x, z)[0]) for _, z in rows] for _, x in rows]
def hulls(rows, k, offset, steps=4000):
    """Multipliers that make u = sum a y x short: Mitchell, Demyanov and Malozemov's steps."""
    K, y, n = gram(rows, k), [r[0] for r in rows], len(rows)
    groups = [[i for i in range(n) if y[i] == s] for s in (-1, 1)] if offset else [list(range(n))]
    a = [0.] * n
    for g in groups:
        for i in g: a[i] = 1 / len(g)
    s = [sum(a[j] * y[j] * K[i][j] for j in range(n)) for i in range(n)]
    for _ in range(steps):
        best = None
        for g in groups:
            hi = max((i for i in g if a[i] > 0), key=lambda i: y[i] * s[i])
            lo = min(g, key=lambda i: y[i] * s[i])
            gain = y[hi] * s[hi] - y[lo] * s[lo]
            if best is None or gain > best[0]: best = gain, hi, lo
        gain, hi, lo = best
        bend = K[hi][hi] + K[lo][lo] - 2 * y[hi] * y[lo] * K[hi][lo]
        if gain < 1e-14 or bend <= 0: break
        t = min(a[hi], gain / bend)
        a[hi] -= t; a[lo] += t
        if a[hi] < 1e-15: a[hi] = 0.
        for i in range(n): s[i] += t * (y[lo] * K[i][lo] - y[hi] * K[i][hi])
    return a
def balanced(rows, a, cost=None):
    """Rationals near a with sum a y = 0 exactly."""
    a = [dyadic(max(0, v)) for v in a]
    if cost: a = [min(v, cost[y]) for v, (y, _) in zip(a, rows)]
    rest = sum(v * y for v, (y, _) in zip(a, rows))
    for i, (y, _) in sorted(enumerate(rows), key=lambda r: -a[r[0]]):
        if rest * y > 0:
            cut = min(a[i], abs(rest))
            a[i] -= cut; rest -= y * cut
    return a
def soft(rows, k, cost, squared, offset, steps=3000):
    """Dual weights by coordinate steps (pairs with a free offset)."""
    K, y, n = gram(rows, k), [r[0] for r in rows], len(rows)
    c = [float(cost[v]) for v in y]
    one = 1. if offset == 'regularized' else 0.
    Q = [[y[i] * y[j] * (K[i][j] + one) + (1 / (2 * c[i]) if squared and i == j else 0) for j in range(n)] for i in range(n)]
    top = [math.inf if squared else v for v in c]
    a, g = [0.] * n, [-1.] * n
    for step in range(steps):
        if offset == 'free':
            up = [i for i in range(n) if (a[i] < top[i] if y[i] > 0 else a[i] > 0)]
            down = [i for i in range(n) if (a[i] > 0 if y[i] > 0 else a[i] < top[i])]
            if not up or not down: break
            i, j = max(up, key=lambda t: -y[t] * g[t]), min(down, key=lambda t: -y[t] * g[t])
            gain = -y[i] * g[i] + y[j] * g[j]
            bend = Q[i][i] + Q[j][j] - 2 * y[i] * y[j] * Q[i][j]
            if gain < 1e-13: break
            t = gain / max(bend, 1e-12)
            t = min(t, top[i] - a[i] if y[i] > 0 else a[i], a[j] if y[j] > 0 else top[j] - a[j])
            moves = [(i, y[i] * t), (j, -y[j] * t)]
        else:
            i = step % n
            new = min(max(a[i] - g[i] / max(Q[i][i], 1e-12), 0), top[i])
            moves = [(i, new - a[i])]
        for i, t in moves:
            a[i] = min(max(a[i] + t, 0), top[i])
            for r in range(n): g[r] += t * Q[r][i]
    return a

# ---- claims ----
KERNELS = [None, None, ['poly', 2, '1'], ['rbf', '0.1'], ['sum', ['linear'], ['product', ['const', '1/2'], ['rbf', '0.05']]],
           ['power', 2, ['sum', ['linear'], ['const', '2']]], ['laplace', '1/4']]
def expansion(rows, a, k, b):
    """The separator sum a y x + b."""
    terms = [(v * y, x) for v, (y, x) in zip(a, rows)]
    if k: return {'rows': [[i, show(t[0])] for i, t in enumerate(terms, 1) if t[0]], 'b': show(b)}
    w = check.Point(None, terms).w
    return {'w': [[j, show(v)] for j, v in sorted(w.items()) if v], 'b': show(b)}
def middle(rows, s):
    lo = min(float(v) for v, (y, _) in zip(s, rows) if y > 0)
    hi = max(float(v) for v, (y, _) in zip(s, rows) if y < 0)
    return dyadic(-(lo + hi) / 2)

def separable(rng, rows, d, offset=None):
    k, offset = rng.choice(KERNELS), rng.random() < .7 if offset is None else offset
    a = [dyadic(v) for v in hulls(rows, k, offset)]
    if offset: a = balanced(rows, a)
    if not any(a): return None
    p = check.Point(k, [(v * y, x) for v, (y, x) in zip(a, rows)])
    s = [p.score(x) for _, x in rows]
    b = middle(rows, [v[0] for v in s]) if offset else F(0)
    least = min(check.scale(y, check.add(v, check.exact(b)))[0] for v, (y, _) in zip(s, rows))
    total, w2 = sum(a), p.norm()
    multipliers = [[i, show(v)] for i, v in enumerate(a, 1) if v]
    claim = {'offset': offset} | ({'kernel': k} if k else {})
    if least > 0:
        margin = {'low': root(least**2 / w2[1], -1), 'high': root(w2[1] / total**2, 1)}
        return claim | {'claim': 'separable', 'separator': expansion(rows, a, k, b), 'margin': margin, 'multipliers': multipliers}
    return claim | {'claim': 'not separable', 'multipliers': multipliers, 'epsilon': root(w2[1] / total**2, 1)}

def null_vector(vectors):
    """a != 0 with sum a v = 0, when there is one more vector than the space is wide; exactly."""
    n, m = len(vectors), [list(r) for r in zip(*vectors)]
    pivots, r = [], 0
    for col in range(n):
        at = next((i for i in range(r, len(m)) if m[i][col]), None)
        if at is None: continue
        m[r], m[at] = m[at], m[r]
        m[r] = [v / m[r][col] for v in m[r]]
        for i in range(len(m)):
            if i != r and m[i][col]: m[i] = [v - m[i][col] * w for v, w in zip(m[i], m[r])]
        pivots.append(col); r += 1
    free = [c for c in range(n) if c not in pivots]
    if len(free) != 1: return None
    a = [F(0)] * n
    a[free[0]] = F(1)
    for i, col in enumerate(pivots): a[col] = -m[i][free[0]]
    return a if all(v >= 0 for v in a) else [-v for v in a]
def common_point(rng, rows, d):
    offset = rng.random() < .7
    for _ in range(300):
        pick = sorted(rng.sample(range(len(rows)), min(len(rows), d + 1 + offset)))
        a = null_vector([[rows[i][0] * rows[i][1].get(j, F(0)) for j in range(1, d + 1)] + [F(rows[i][0])] * offset for i in pick])
        if a and all(v >= 0 for v in a):
            return {'claim': 'not separable', 'offset': offset, 'multipliers': [[i + 1, show(v)] for i, v in zip(pick, a) if v]}
    return None

def played(rng, claim, rows, wrong, update, passes):
    """Order, passes or sequence, total of a run: pass after pass, or on rows at random."""
    sequence, converged = [], False
    def learn(i):
        if not wrong(i, *rows[i - 1]): return
        update(i, *rows[i - 1])
        sequence.append(i)
    cyclic = rng.random() < .6
    for _ in range(passes):
        before = len(sequence)
        for i in range(1, len(rows) + 1): learn(i if cyclic else rng.randint(1, len(rows)))
        if cyclic and len(sequence) == before: break
    if not any(wrong(i, *r) for i, r in enumerate(rows, 1)): claim['converged'] = True
    most = max((sequence.count(i) for i in set(sequence)), default=0)
    claim |= {'total': len(sequence)} | ({'order': 'cyclic', 'passes': passes} if cyclic else {'order': 'sequence', 'sequence': sequence})
    return most

def perceptron(rng, rows, d):
    offset, passes = rng.choice(['none', 'unit', 'append', 'r2']), rng.randint(1, 30)
    rate, tau = F(rng.choice([1, 1, 2]), rng.choice([1, 3])), F(rng.choice([0, 0, 1]), 2)
    k = rng.choice([None, None, None, ['poly', 2, '1'], ['rbf', '0.1']]) if offset != 'r2' else None
    if k: passes = min(passes, 4)
    r2 = max(check.dot(x, x) for _, x in rows)
    c2 = {'none': F(0), 'unit': F(1), 'append': F(9, 4), 'r2': r2}[offset]
    if offset == 'r2' and not r2: return None
    soft, tie = rng.choice([F(0), F(0), F(3, 2)]), rng.choice(['negative', 'positive', 'mistake', None])
    counts, w = [0] * len(rows), {}
    def wrong(i, y, x):
        if k: u = check.Point(k, [(n * r[0], r[1]) for n, r in zip(counts, rows) if n]).score(x)[0]
        else: u = check.dot(w, x)
        s = y * rate * (u + c2 * sum(n * r[0] for n, r in zip(counts, rows))) + rate * soft**2 * counts[i - 1]
        return s < tau or s == tau == 0 and not (tie == 'positive' and y > 0 or tie == 'negative' and y < 0)
    def update(i, y, x):
        counts[i - 1] += 1
        for j, v in x.items(): w[j] = w.get(j, F(0)) + y * v
    claim = {'claim': 'mistakes', 'learner': 'perceptron', 'offset': offset, 'rate': show(rate), 'margin_target': show(tau)}
    if tie: claim['tie'] = tie
    most = played(rng, claim, rows, wrong, update, passes)
    b = c2 * sum(n * r[0] for n, r in zip(counts, rows))
    if k: point = {'rows': [[i, show(n * r[0] * rate)] for i, (n, r) in enumerate(zip(counts, rows), 1) if n], 'b': show(b * rate)}
    else: point = {'w': [[j, show(v * rate)] for j, v in sorted(w.items()) if v], 'b': show(b * rate)}
    claim |= {'model': point, 'separator': point} | ({'kernel': k} if k else {})
    if offset == 'append': claim['constant'] = '1.5'
    if soft: claim |= {'soft': show(soft), 'functional_margin': show(rng.choice([F(1), F(5), F(1, 3)]))}
    elif 'converged' not in claim or tie in ('negative', 'positive') or rng.random() < .3 or not any(counts):
        claim |= {'functional_margin': show(rng.choice([F(1), F(5), F(1, 3)])), 'passes': claim.get('passes') or max(most, 1)}
    try: check.perceptron(claim | {'columns': d}, rows)
    except check.Reject: return None  # a score that an enclosure leaves open
    return claim

def weighed(rng, rows, d):
    """Winnow with the separator x1 + x2, or nearly."""
    variant = rng.choice(['winnow1', 'winnow2', 'winnow2', 'balanced', 'balanced'])
    v = {j: dyadic(rng.uniform(.9, 1), 10) if rng.random() < .5 else F(1) for j in (1, 2)}
    if d > 2 and rng.random() < .3: v[3] = F(rng.choice([-1, 1]) if variant == 'balanced' else 1, 50)
    claim = {'claim': 'mistakes', 'learner': 'winnow', 'variant': variant, 'separator': {'w': [[j, show(t)] for j, t in v.items()]}}
    if variant == 'balanced':
        claim |= {'offset': rng.choice(['none', 'unit', 'unit']), 'alpha': show(1 + dyadic(rng.choice([.05, .1, .2, rng.random()]), 20))}
        if claim['offset'] == 'unit': claim['separator']['b'] = '-0.7'
    else: claim |= {'threshold': show(F(rng.choice([2 * d, d, 3, 2]), 2)), 'alpha': show(1 + dyadic(rng.choice([.1, .25, .5, 1, rng.random()]), 20))}
    if rng.random() < .2: claim['clip'] = '1e-9'
    if rng.random() < .5: claim['tie'] = rng.choice(['negative', 'positive', 'mistake'])
    alpha, theta, unit = check.num(claim['alpha']), check.num(claim.get('threshold', '0')), claim.get('offset') == 'unit'
    tie = {'negative': 1, 'positive': -1, 'mistake': 0}[claim.get('tie', 'positive')]
    e, out = [F(0)] * (d + 1), set()
    more = lambda x: x | ({0: F(1)} if unit else {})
    def wrong(i, y, x):
        s = check.exact(-theta)
        for j, t in more(x).items():
            w = check.exact(0) if j in out else check.power(alpha, e[j])
            if variant == 'balanced': w = check.add(w, check.scale(-1, check.power(alpha, -e[j])))
            s = check.add(s, check.scale(t, w))
        return y * s[0] < 0 or s[0] == s[1] == 0 and tie in (0, y)
    def update(i, y, x):
        for j, t in more(x).items():
            e[j] += y * t
            if variant == 'winnow1' and y < 0: out.add(j)
    played(rng, claim, rows, wrong, update, 3)
    try: check.winnow(claim | {'columns': d}, rows)
    except check.Reject: return None
    return claim

def experts(rng, rows, d):
    beta, negated, tie = rng.choice([F(1, 2), F(1, 3), F(9, 10)]), rng.random() < .5, rng.choice(['negative', 'positive', 'mistake'])
    silent = [j for j in range(1, d + 1) if rng.random() < .3]
    half, m, passes = {(j, s): 0 for j in range(1, d + 1) for s in ((1, -1) if negated else (1,))}, 0, rng.randint(1, 3)
    for y, x in rows * passes:
        v = {e: e[1] * (0 if e[0] in silent and e[0] not in x else 1 if x.get(e[0], 0) > 0 else -1) for e in half}
        least = min(half.values())
        even = sum((v[e] * beta ** ((half[e] - least) // 2) for e in half if (half[e] - least) % 2 == 0), F(0))
        odd = sum((v[e] * beta ** ((half[e] - least) // 2) for e in half if (half[e] - least) % 2), F(0))
        s = check.sign_root(even, odd, beta)
        m += (s or {'negative': -1, 'positive': 1, 'mistake': -y}[tie]) != y
        for e in half: half[e] += 1 - y * v[e]
    best = min(half, key=lambda e: half[e])
    return {'claim': 'mistakes', 'learner': 'experts', 'beta': show(beta), 'negated': negated, 'abstain': silent, 'tie': tie,
            'passes': passes, 'total': m, 'best': {'column': best[0], 'negated': best[1] < 0, 'mistakes': show(F(half[best], 2))}}

def optimal(rng, rows, d, test=None):
    k, squared, offset = rng.choice(KERNELS), rng.random() < .5, rng.choice(['free', 'none', 'regularized'])
    cost = {-1: F(rng.choice([1, 2, 5]), rng.choice([1, 10])), 1: F(rng.choice([1, 3]), rng.choice([1, 7]))}
    a = soft(rows, k, cost, squared, offset)
    a = [max(F(0), dyadic(v)) for v in a] if squared else [min(max(F(0), dyadic(v)), cost[y]) for v, (y, _) in zip(a, rows)]
    if offset == 'free': a = balanced(rows, a, None if squared else cost)
    p = check.Point(k, [(v * y, x) for v, (y, x) in zip(a, rows)])
    b = F(0)
    if offset == 'regularized': b = sum(v * y for v, (y, _) in zip(a, rows))
    if offset == 'free':
        scores = [float(p.score(x)[0]) for _, x in rows]
        def loss(t): return sum(float(cost[y]) * max(0, 1 - y * (s + t)) ** (2 if squared else 1) for s, (y, _) in zip(scores, rows))
        lo, hi = -50., 50.
        for _ in range(200):
            m1, m2 = lo + (hi - lo) / 3, hi - (hi - lo) / 3
            lo, hi = (lo, m2) if loss(m1) <= loss(m2) else (m1, hi)
        b = dyadic((lo + hi) / 2)
    claim = {'claim': 'optimal', 'loss': 'squared hinge' if squared else 'hinge', 'offset': offset,
             'cost': {'negative': show(cost[-1]), 'positive': show(cost[1])}, 'separator': expansion(rows, a, k, b),
             'dual': [[i, show(v)] for i, v in enumerate(a, 1) if v], 'gap': '1000000'} | ({'kernel': k} if k else {})
    claim['gap'] = decimal(max(check.optimal(claim | {'columns': d}, rows, None)[4], 0), 1, 9)
    if rng.random() < .5: return claim
    return stable(rng, claim | {'columns': d}, rows, test, b)

def stable(rng, claim, rows, test, b):
    which = 'test' if test and rng.random() < .5 else 'data'
    seen = test if which == 'test' else rows
    claim = claim | {'claim': 'stable predictions', 'file': which, 'may_change': list(range(1, len(seen) + 1))}
    if claim['offset'] == 'free':
        for width in (F(1, 10**4), F(1, 100), F(1, 10), F(1), F(10), F(1000)):
            claim['offset_interval'] = [show(b - width), show(b + width)]
            try: check.stable(claim, rows, test); break
            except check.Reject: pass
        else: return None
    for i in range(1, len(seen) + 1):
        rest = [r for r in claim['may_change'] if r != i]
        try: check.stable(claim | {'may_change': rest}, rows, test)
        except check.Reject: continue
        claim['may_change'] = rest
    del claim['columns']
    return claim

def kernel(rng, rows, d):
    pick = sorted(rng.sample(range(1, len(rows) + 1), min(len(rows), 5)))
    kind = rng.randint(0, 2)
    if kind == 0:
        return {'claim': 'kernel', 'kernel': rng.choice([['linear'], ['poly', 3, '1/2'], ['sum', ['linear'], ['const', '3']]]), 'rows': pick, 'psd': True}
    if kind == 1:
        k, x, B = ['sum', ['rbf', '1/2'], ['const', '0.25']], [], []
        for i in pick:
            if rows[i - 1][1] not in [rows[j - 1][1] for j in x]: x.append(i)
        for i, r in enumerate(x):
            row = []
            for j in range(i + 1):
                v = float(check.kernel(k, rows[r - 1][1], rows[x[j] - 1][1])[0]) - (1e-6 if i == j else 0) - sum(p * q for p, q in zip(row, row if i == j else B[j]))
                row.append(math.sqrt(max(v, 0)) if i == j else v / B[j][j])
            B.append(row)
        if any(row[-1] <= 1e-4 for row in B): return None
        return {'claim': 'kernel', 'kernel': k, 'rows': x, 'psd': True, 'factor': [[show(dyadic(v, 45)) for v in row] for row in B]}
    k = rng.choice([['sum', ['rbf', '1'], ['product', ['const', '-1'], ['rbf', '0.5']]], ['sigmoid', '1', '-1'], ['sum', ['linear'], ['const', '-9']]])
    for _ in range(60):
        z = [[i, str(rng.choice([-2, -1, 1, 2]))] for i in sorted(rng.sample(range(1, len(rows) + 1), rng.randint(1, 2)))]
        claim = {'claim': 'kernel', 'kernel': k, 'psd': False, 'z': z}
        try: check.gram(claim, rows, None); return claim
        except check.Reject: pass
    return None

def error(rng, rows, d, test, left_out):
    k = rng.choice(KERNELS)
    a = [dyadic(rng.random(), 8) for _ in rows]
    s, tie = expansion(rows, a, k, dyadic(rng.uniform(-1, 1), 8)), rng.choice(['negative', 'positive', 'mistake'])
    claim = {'claim': 'error', 'separator': s, 'tie': tie, 'delta': rng.choice(['0.05', '1/20', '0.1'])} | ({'kernel': k} if k else {})
    p, b = check.separator(s, k, rows, d)
    seen = [x for _, x in rows + left_out]
    new = [(y, x) for y, x in test if x not in seen]
    m = 0
    for y, x in new:
        lo, hi = check.add(p.score(x), check.exact(b))
        m += (1 if lo > 0 else -1 if hi < 0 else 0 if lo < hi else {'negative': -1, 'positive': 1, 'mistake': 0}[tie]) != y
    n, delta = len(new), check.num(claim['delta'])
    if not n: return None
    for upper in range(1, 1001):  # the least thousandth that will do
        t = F(upper, 1000)
        if upper == 1000 or sum(math.comb(n, i) * t**i * (1 - t)**(n - i) for i in range(m + 1)) <= delta: break
    return claim | {'shared': len(test) - n, 'rows': n, 'mistakes': m, 'upper': show(F(upper, 1000)) if rng.random() < .3 else '%.3f' % (upper / 1000)}

def same_reading(a, b): return all(a.get(key) == b.get(key) for key in ('format', 'index_base', 'separator', 'fields'))

def certificate(seed):
    """(certificate, data, test or None), as text."""
    rng = random.Random(seed)
    while True:
        d, kind = rng.randint(1, 3), rng.choice(['separable', 'any', 'bits', 'unit'])
        if kind in ('bits', 'unit'): d = rng.randint(2, 6)
        rows = draw(rng, rng.randint(3, 9), d, kind)
        test = draw(rng, rng.randint(2, 12), d, kind) if rng.random() < .4 else None
        if test and rng.random() < .5: test.append(rng.choice(rows))
        makers = [separable, common_point, perceptron, experts, optimal, optimal, kernel] + ([weighed] * 4 if kind in ('bits', 'unit') else [])
        claims, made = [], None
        if not test and kind in ('separable', 'any') and rng.random() < .4:  # a richer table, perhaps with a transform
            text, spec = as_csv(rng, rows, d)
            spec = {'file': 'data', 'sha256': '', 'rows': len(rows), 'columns': d} | spec
            text = with_categories(rng, text, spec, rows)
            d = spec['columns']
            spec['sha256'] = hashlib.sha256(text.encode()).hexdigest()
            transform = [[j, show(F(rng.randint(-3, 3), 2)), show(F(rng.choice([-2, 1, 3]), rng.choice([1, 7])))] for j in range(1, d + 1) if rng.random() < .4]
            for j, offset, factor in transform:
                for _, x in rows:
                    x[j] = (x.get(j, F(0)) - F(offset)) * F(factor)
                    if not x[j]: del x[j]
            made = text, spec, transform
        for make in rng.sample(makers, rng.randint(1, 2)):
            claims.append(make(rng, rows, d, test) if make is optimal else make(rng, rows, d))
        text, spec, transform = made or (*table(rng, rows, d, 'data'), None)
        left_out = []  # a row of another class that may be in both files
        if test and spec['format'] == 'libsvm' and rng.random() < .4:
            left_out = [rng.choice(test)]
            text += 'other ' + ' '.join('%d:%s' % (j - 1 + spec['index_base'], number(rng, v)) for j, v in sorted(left_out[0][1].items())) + '\n'
            spec |= {'sha256': hashlib.sha256(text.encode()).hexdigest(), 'others': 'drop'}
        if test: claims.append(error(rng, rows, d, test, left_out))
        claims = [c for c in claims if c]
        if not claims: continue
        cert = {'format': 'halfspace certificate', 'version': 2, 'data': spec}
        other = None
        while test and (other is None or other == text or not same_reading(spec, cert['test'])): other, cert['test'] = table(rng, test, d, 'test')
        if transform: cert['transform'] = transform
        cert['claims'] = claims
        return json.dumps(cert, indent=1), text, other
