# Weights in the units of the file: the scaling is undone, and the scores are the same; weights of one column stand together.
cp "$EXAMPLES/weather.csv" .
halfspace train logistic -q --missing mean --scale standard --keep-dual weather.csv -o m.hsp >/dev/null
halfspace model show m.hsp | sed -n '/^Score/,$p'
question 'By hand: the offset and the weights of the file give the score'
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
halfspace model show m.hsp --json --dual >m.json
halfspace predict -q m.hsp weather.csv --scores >scores
python3 - <<'END'
import csv, json
scorer = json.load(open('m.json'))['scorers'][0]
weights = {w['name']: w for w in scorer['weights']}
rows = list(csv.DictReader(open('weather.csv')))
known = [float(r['humidity']) for r in rows if r['humidity'] != '?']
mean, worst = sum(known) / len(known), 0
for row, line in zip(rows, open('scores')):
    s = scorer['file_offset']
    for column in ('outlook', 'temperature', 'wind'):
        if f'{column}={row[column]}' in weights:
            s += weights[f'{column}={row[column]}']['file_weight']
    s += weights['humidity']['file_weight'] * (float(row['humidity']) if row['humidity'] != '?' else mean)
    worst = max(worst, abs(s - float(line.split()[1])))
print('same scores' if worst < 1e-6 else worst)
print(weights['humidity']['source'], weights['wind=weak']['source'], weights['humidity']['standardised_weight'] == weights['humidity']['weight'])
print(len(scorer['dual']), 'dual coefficients,', 'numbers' if all(isinstance(d['coefficient'], float) for d in scorer['dual']) else 'no numbers')
END
