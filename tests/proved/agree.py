#!/usr/bin/env python3
"""Does the proved checker agree with the core and the whole checker? agree.py BUILD [CERTIFICATES [TAMPERINGS_EACH [SEED]]]

On every case and forgery of tests/verify/forgeries.py, on numbers with exponents near the limits of integers, on certificates for random data (produce.py and `halfspace certify`) and on random
changes to them: halfspace-verify-proved has the status of halfspace-verify-core, and prints the same. What both accept or reject, the whole
checker accepts or rejects as well.
"""
import copy, hashlib, json, os, random, subprocess, sys, tempfile
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../verify'))
import agree, forgeries, produce

class Judges:
    def __init__(self, build, folder):
        self.programs = [os.path.join(build, 'halfspace-verify' + end) for end in ('', '-core', '-proved')]
        self.paths = [os.path.join(folder, name) for name in ('cert', 'data')]
        self.accepted = self.refused = self.beyond = self.worded = 0
        self.wrong = []

    def judge(self, name, cert, data):
        """The three checkers on one certificate; each is text."""
        for path, text in zip(self.paths, (cert, data)):
            open(path, 'wb').write(text if isinstance(text, bytes) else text.encode())
        full, core, proved = (subprocess.run([program, *self.paths], capture_output=True) for program in self.programs)
        if proved.returncode != core.returncode:
            self.wrong.append('%s: status %d, but %d of the core\n%s%s' % (name, proved.returncode, core.returncode, proved.stderr.decode(), core.stderr.decode()))
        elif core.returncode != 5 and (core.returncode == 0) != (full.returncode == 0):
            self.wrong.append('%s: the core and the whole checker disagree' % name)
        elif core.returncode in (0, 1) and (proved.stdout, proved.stderr) != (core.stdout, core.stderr):
            self.wrong.append('%s: other sentences\n%s%s---\n%s%s' % (name, proved.stdout.decode(), proved.stderr.decode(), core.stdout.decode(), core.stderr.decode()))
        self.accepted += proved.returncode == 0
        self.refused += proved.returncode in (1, 3)
        self.beyond += proved.returncode == 5
        self.worded += proved.stderr == core.stderr

    def forged(self):
        for case in forgeries.CASES.values(): self.sealed('the honest %s' % case.name, case, case.cert, case.data)
        for name, why, changes, data in forgeries.FORGERIES:
            case = forgeries.CASES[name]
            cert = copy.deepcopy(case.cert)
            for path, value in changes: forgeries.put(cert, path, value)
            self.sealed('%s, %s' % (name, why), case, cert, data or case.data)

    def sealed(self, name, case, cert, data):
        if 'test' in cert: return # about two files
        self.judge(name, json.dumps(case.sealed(copy.deepcopy(cert), data)), data)

    def exponents(self):
        """Numbers 0, 1 and 1.0 times powers of ten, each as a value, a label, a weight and an offset."""
        powers = [sign + str(p) for p in (5000, 5001, 2**31, 2**62 - 1, 2**62, 2**63, 2**64) for sign in ('', '-')]
        for number in [m + 'e' + p for p in powers for m in ('0', '1', '1.0')]:
            for value, label, w, b in (number, '1', '1', '0'), ('1', number, '1', '0'), ('1', '1', number, '0'), ('1', '1', '1', number):
                data = '%s 1:%s\n-1 1:-1\n' % (label, value)
                cert = {'format': 'halfspace certificate', 'version': 2, 'data': {
                    'file': 'data', 'sha256': hashlib.sha256(data.encode()).hexdigest(), 'rows': 2, 'columns': 1, 'format': 'libsvm',
                    'negative': ['-1'], 'positive': [label], 'index_base': 1}, 'claims': [
                    {'claim': 'separable', 'offset': True, 'separator': {'w': [[1, w]], 'b': b}}]}
                self.judge('value %s, label %s, w %s, b %s' % (value, label, w, b), json.dumps(cert), data)

    def drawn(self, name, texts, rng, each):
        if texts[2] is not None: return
        self.judge(name, *texts[:2])
        for i in range(each): self.judge('%s, change %d' % (name, i), agree.tamper(rng, texts[0]), texts[1])

def main(build, count='200', each='6', seed='1'):
    with tempfile.TemporaryDirectory() as folder:
        judges, first = Judges(build, folder), int(seed) * 1000000
        judges.forged()
        judges.exponents()
        for i in range(first, first + int(count)): judges.drawn('certificate %d' % i, produce.certificate(i), random.Random(i), int(each))
        for i in range(first, first + int(count) // 2):
            texts = agree.commanded(build, i, folder)
            if texts: judges.drawn('certify %d' % i, texts, random.Random(i), int(each))
    for line in judges.wrong: print(line, file=sys.stderr)
    passed = not judges.wrong and judges.accepted and judges.refused
    print('%s three checkers agree: %d certificates accepted, %d refused, %d beyond the core; %d differ' %
          ('ok' if passed else 'FAILED', judges.accepted, judges.refused, judges.beyond, len(judges.wrong)))
    return 0 if passed else 1

if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
