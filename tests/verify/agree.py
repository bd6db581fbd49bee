#!/usr/bin/env python3
"""Do the two checkers agree? agree.py BUILD [CERTIFICATES [TAMPERINGS_EACH [SEED]]]

Certificates for random small data (produce.py) hold for both. Then digits, signs, rows and multipliers are changed at random;
what one checker rejects, the other rejects, too.
"""
import json, os, random, re, shutil, subprocess, sys, tempfile
import check, produce

def schema():
    """What says whether a certificate has the form of docs/certificate.schema.json; None where Python lacks jsonschema."""
    try: import jsonschema
    except ImportError: return None
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/certificate.schema.json')
    return jsonschema.Draft202012Validator(json.load(open(path)))

def tamper(rng, text):
    """A digit, a sign, a pair that goes, two numbers that change places; in the claims."""
    start = text.index('"claims"')
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

def main(build, count='120', each='6', seed='1'):
    program = os.path.join(build, 'halfspace-verify')
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, name) for name in ('cert', 'data', 'test')]
    kept = both = wrong = 0
    form = schema()
    def verdicts(texts):
        used = [p for p, t in zip(paths, texts) if t is not None]
        for p, t in zip(paths, texts):
            if t is not None: open(p, 'w', newline='').write(t)
        run = subprocess.run([program, *used], capture_output=True, text=True)
        return run.returncode, run.stderr.strip(), check.check(*used)
    for i in range(int(count)):
        texts = produce.certificate(int(seed) * 1000000 + i)
        status, said, why = verdicts(texts)
        if form and not form.is_valid(json.loads(texts[0])): why = 'not of the form that the schema gives'
        if status or why:
            wrong += 1
            print('certificate %d: status %d %s; second checker: %s' % (i, status, said, why), file=sys.stderr)
            continue
        rng = random.Random(int(seed) * 1000000 + i)
        for _ in range(int(each)):
            changed = tamper(rng, texts[0])
            status, said, why = verdicts((changed,) + texts[1:])
            if status not in (0, 1, 3) or (status == 0) != (why is None):
                wrong += 1
                print('certificate %d tampered with: status %d %s; second checker: %s\n%s' % (i, status, said, why, ' '.join(changed[changed.index('"claims"'):].split())), file=sys.stderr)
            kept += status == 0
            both += status != 0
    shutil.rmtree(folder)
    print('%s two checkers on %s certificates: %d tamperings rejected by both, %d left the claim true for both' %
          ('FAILED' if wrong else 'ok', count, both, kept))
    return 1 if wrong else 0

if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
