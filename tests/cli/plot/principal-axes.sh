# Principal axes: rows have no covariance in their plane, and vary most along the first axis, whatever the signs of the weights.
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
cat >make.py <<'END'
import random, sys
random.seed(int(sys.argv[1]))
signs = [random.choice((-1, 1)) for _ in range(6)]
print('a,b,c,d,e,f,y')
for i in range(200):
    s, t = random.gauss(0, 1), random.gauss(0, 1)
    print(*(f'{signs[k] * ((1 + k) * s + (k % 3) * t) + random.gauss(0, 0.5):.6f}' for k in range(6)), i % 2, sep=',')
END
cat >look.py <<'END'
import json, sys
marks = json.load(sys.stdin)['panels'][0]['marks']
x, y = ([v for m in marks for v in m[axis]] for axis in 'xy')
def covariance(u, v):
    return sum((p - sum(u) / len(u)) * (q - sum(v) / len(v)) for p, q in zip(u, v)) / len(u)
print('right' if covariance(x, x) > covariance(y, y) > 100 * abs(covariance(x, y)) else 'wrong')
END
for seed in 1 2 3 4 5 6 7 8; do python3 make.py $seed >rows.csv && halfspace plot -q rows.csv --json | python3 look.py; done | sort | uniq -c | sed 's/^ *//'
