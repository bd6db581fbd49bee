#!/usr/bin/env python3
"""The two programs as one types them: programs.py BUILD. Model files, pipes, output that cannot be written, statuses."""
import hashlib, json, os, struct, subprocess, sys, tempfile

def main(build):
    folder, wrong, count = tempfile.mkdtemp(), [], 0
    path = lambda name: os.path.join(folder, name)
    def write(name, content):
        open(path(name), 'wb').write(content)
        return hashlib.sha256(content).hexdigest()
    def certificate(name, claim, **more):
        data = {'file': 'data', 'sha256': write('data', b'1 1:1\n-1 1:-1\n'), 'rows': 2, 'columns': 1, 'format': 'libsvm', 'index_base': 1, 'negative': ['-1'], 'positive': ['1']}
        write(name, json.dumps({'format': 'halfspace certificate', 'version': 2, 'data': data, 'claims': [claim]} | more).encode())
    def expect(status, words, program, *arguments, text=None, out=subprocess.PIPE):
        nonlocal count
        count += 1
        run = subprocess.run([os.path.join(build, program), *arguments], input=text, stdout=out, stderr=subprocess.PIPE)
        said = ((run.stdout or b'') + run.stderr).decode()
        if run.returncode != status or words not in said: wrong.append('%s %s: status %d, not %d, or not "%s": %s' % (program, ' '.join(arguments), run.returncode, status, words, said))
    verify, core, cert, data = 'halfspace-verify', 'halfspace-verify-core', path('cert'), path('data')
    header = json.dumps({'__metadata__': {'format': 'halfspace-model', 'hypothesis': 'linear'}, 'weights': {'dtype': 'F64', 'shape': [1, 1], 'data_offsets': [0, 8]},
                         'offsets': {'dtype': 'F64', 'shape': [1], 'data_offsets': [8, 16]}}).encode()
    model = struct.pack('<Q', len(header)) + header + struct.pack('<dd', .1, 0.)
    digest = write('model', model)
    exact = '3602879701896397/36028797018963968'  # the double nearest to 0.1
    certificate('cert', {'claim': 'separable', 'offset': True, 'separator': {'w': [[1, exact]]}}, model={'sha256': digest})
    expect(0, 'model: the certificate was made for a model file with SHA-256 %s.' % digest, verify, cert, data)
    expect(0, 'no model file was compared with it', verify, cert, data)
    expect(0, 'is that file.', verify, '--model', path('model'), cert, data)
    expect(0, 'separators in the claims: 1; with exactly its weights: 1.', verify, '--model', path('model'), cert, data)
    write('other', model[:-16] + struct.pack('<dd', .2, 0.))
    expect(1, 'is not the model file that the certificate was made for', verify, '--model', path('other'), cert, data)
    certificate('near', {'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '0.1']]}}, model={'sha256': digest})
    expect(0, 'with exactly its weights: 0.', verify, '--model', path('model'), path('near'), data)
    certificate('none', {'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '1']]}})
    expect(1, 'does not say which model file', verify, '--model', path('model'), path('none'), data)
    for cut in (0, 7, 8, 20, len(model) - 1): # files that are no models are compared by their hash, and that is said
        certificate('cut', {'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '1']]}}, model={'sha256': write('part', model[:cut])})
        expect(3 if 8 < cut < 20 else 0, 'its weights were not compared', verify, '--model', path('part'), path('cut'), data)
    # standard input, pipes, output
    expect(0, 'verified', verify, '-', data, text=open(cert, 'rb').read())
    expect(0, 'verified', verify, cert, '-', text=open(data, 'rb').read())
    expect(0, 'verified', verify, cert, '/dev/stdin', text=open(data, 'rb').read())
    expect(0, 'verified', core, cert, '/dev/stdin', text=open(data, 'rb').read())
    if os.path.exists('/dev/full'):
        with open('/dev/full', 'w') as full: expect(4, 'No space left on device', verify, cert, data, out=full)
        with open('/dev/full', 'w') as full: expect(4, 'No space left on device', core, cert, data, out=full)
    # statuses
    expect(3, 'cannot be opened', verify, path('nowhere'), data); expect(3, 'No such file', core, cert, path('nowhere'))
    expect(2, 'usage', verify, cert); expect(2, 'usage', core, cert); expect(2, 'usage', verify, '--effort', '0', cert, data); expect(2, 'usage', verify, '--work', cert, data)
    expect(3, 'about one file, not two', verify, cert, data, data); expect(0, 'Status: 0', verify, '--help')
    certificate('kernel', {'claim': 'separable', 'offset': True, 'kernel': ['linear'], 'separator': {'rows': [[1, '1']]}})
    expect(5, 'kernels: beyond the core; halfspace-verify checks it', core, path('kernel'), data); expect(0, 'verified', verify, path('kernel'), data)
    # labels that differ do not look alike
    strange = b'a\x7f 1:1\na? 1:-1\na\\x7f 1:-2\n'
    labels = {'file': 'strange', 'sha256': write('strange', strange), 'rows': 2, 'columns': 1, 'format': 'libsvm', 'index_base': 1, 'negative': ['a?'], 'positive': ['a\x7f'], 'others': 'drop'}
    write('odd', json.dumps({'format': 'halfspace certificate', 'version': 2, 'data': labels, 'claims': [{'claim': 'separable', 'offset': True, 'separator': {'w': [[1, '1']]}}]},
                            ensure_ascii=False).encode().replace(b'\\u007f', b'\x7f'))
    expect(0, 'label "a\\x7f" is positive', core, path('odd'), path('strange')); expect(0, 'label "a?" is negative', core, path('odd'), path('strange'))
    expect(0, 'positive: "a\\x7f"; negative: "a?"', verify, path('odd'), path('strange'))
    endless = {'claim': 'mistakes', 'learner': 'perceptron', 'offset': 'none', 'order': 'cyclic', 'passes': 300, 'total': 1, 'separator': {'w': [[1, '1']]}}
    certificate('run', endless)
    expect(0, 'order cyclic', core, path('run'), data)
    for line in wrong: print(line, file=sys.stderr)
    print('%s %d calls of the programs' % ('FAILED' if wrong else 'ok', count))
    return 1 if wrong else 0

if __name__ == '__main__': sys.exit(main(sys.argv[1]))
