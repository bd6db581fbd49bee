// Linear programs in WebAssembly have the answers of the native build: CLP there has other linear algebra.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { core, test, top } from './harness.mjs';

const sets = ['separable --features 2 --rows 200', 'separable --features 6 --rows 400 --margin 0.001', 'halfspace --features 3 --rows 200', 'moons --rows 150', 'xor --rows 60'];

test('the same answers as the native command', async () => {
    const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`);
    for (const set of sets)
        for (const seed of ['1', '2']) {
            const { files } = await core().run(['make', ...set.split(' '), '--seed', seed, '-o', 'p.csv'], { read: ['p.csv'] });
            writeFileSync(`${folder}/p.csv`, files['p.csv']);
            for (const options of [[], ['--soft'], ['--offset', 'none'], ['--soft', '--offset', 'none']]) {
                const argv = ['train', 'lp', ...options, 'p.csv', '--json', '-q'], name = `${set} ${options.join(' ')}`;
                const native = spawnSync(`${top}build/halfspace`, argv, { cwd: folder, encoding: 'utf8' });
                if (/no linear programming/.test(native.stdout)) return console.log('   not compared: the native command has no linear programming');
                const want = JSON.parse(native.stdout), own = await core().run(argv, { files }), got = JSON.parse(own.stdout);
                assert.equal(own.status, native.status, name);
                assert.equal(got.stop, want.stop, name);
                assert.equal(got.training_error === 0, want.training_error === 0, name);
                if (options.includes('--soft')) assert.ok(Math.abs(got.objective - want.objective) <= 1e-7 * (1 + want.objective), `${name}: ${got.objective}, native ${want.objective}`);
            }
        }
});
