// The core in WebAssembly: its interface, in node and in Chromium's worker from file://.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { core, native, open, playground, test, top } from './harness.mjs';

const iris = readFileSync(`${top}examples/iris.csv`, 'utf8');
const text = (bytes) => new TextDecoder().decode(bytes);

test('a run gives status, output and files', async () => {
    const run = await core().run(['train', 'svm', 'iris.csv', '-o', 'm.hsp', '--json'],
        { files: { 'iris.csv': iris }, read: ['m.hsp', 'absent'] });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(JSON.parse(run.stdout).learner, 'svm');
    assert.match(run.stderr, /wrote m\.hsp/);
    assert.deepEqual(Object.keys(run.files), ['m.hsp']);
});

test('an error has its status and its sentence', async () => {
    const run = await core().run(['train', 'svm', 'absent.csv']);
    assert.equal(run.status, 4);
    assert.match(run.stderr, /^halfspace: absent\.csv: /);
});

test('the grid gives what the command predicts', async () => {
    const made = await core().run(['make', 'moons', '--rows', '300', '-o', 'p.csv'], { read: ['p.csv'] });
    const points = made.files['p.csv'];
    const { files } = await core().run(['train', 'svm', 'p.csv', '--kernel', 'rbf(1)', '-o', 'm.hsp'],
        { files: { 'p.csv': points }, read: ['m.hsp'] });
    const grid = await core().grid(files['m.hsp'], { x0: -1, x1: 2, nx: 4, y0: -0.5, y1: 1, ny: 3 });
    const lines = ['x1,x2'];
    for (let j = 0; j < 3; j++) for (let i = 0; i < 4; i++) lines.push(`${-1 + i},${-0.5 + 0.75 * j}`);
    const asked = await core().run(['predict', 'm.hsp', 'q.csv', '--scores', '--precision', 'double'],
        { files: { 'm.hsp': files['m.hsp'], 'q.csv': `${lines.join('\n')}\n` } });
    const scores = asked.stdout.trim().split('\n').map((line) => Number(line.split(/[ ,\t]/).pop())).slice(-12);
    assert.deepEqual(Array.from(grid.scores[0]), scores);
    assert.deepEqual(Array.from(grid.classes), scores.map((score) => (score > 0 ? 1 : 0)));
});

test('the grid says what is wrong with a model', async () => {
    await assert.rejects(core().grid(new Uint8Array([1, 2, 3]), { x0: 0, x1: 1, nx: 2, y0: 0, y1: 1, ny: 2 }), /.{10,}/);
    assert.equal((await core().run(['--version'])).status, 0);
});

test('a certificate is checked here and by the native checker, and an altered one is rejected', async () => {
    const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`);
    for (const kind of ['separable', 'xor']) {
        const made = await core().run(['make', kind, '--rows', '60', '-o', 'p.csv'], { read: ['p.csv'] });
        const points = made.files['p.csv'];
        const { status, stderr, files } = await core().run(['certify', 'p.csv', '-o', 'c.json', '-q'],
            { files: { 'p.csv': points }, read: ['c.json'] });
        assert.equal(status, 0, stderr);
        writeFileSync(`${folder}/p.csv`, points);
        writeFileSync(`${folder}/c.json`, files['c.json']);
        const here = await core().verify(['c.json', 'p.csv'], { 'c.json': files['c.json'], 'p.csv': points });
        assert.deepEqual([here.status, here.stderr], [0, '']);
        assert.match(here.stdout, /verified: the claim holds\.\n$/);
        assert.equal(here.stdout, native(['halfspace-verify', 'c.json', 'p.csv'], { cwd: folder }));

        const certificate = JSON.parse(text(files['c.json']));
        certificate.claims[0].multipliers[0][1] = '1';
        const altered = await core().verify(['c.json', 'p.csv'], { 'c.json': JSON.stringify(certificate), 'p.csv': points });
        assert.equal(altered.status, 1, altered.stdout);
        const moved = await core().verify(['c.json', 'p.csv'], { 'c.json': files['c.json'], 'p.csv': `${text(points)}0,0,1\n` });
        assert.equal(moved.status, 1);
        assert.match(moved.stderr, /not the file that was certified/);
    }
});

test('everything together is under 3 MB', async () => {
    let total = 0;
    for (const name of readdirSync(playground, { recursive: true })) {
        const entry = statSync(playground + name);
        if (entry.isFile()) total += entry.size;
    }
    console.log(`   ${(total / 1e6).toFixed(2)} MB`);
    assert.ok(total < 3e6, `${total} bytes`);
});

// ---- In Chromium ----

async function page() {
    const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`);
    writeFileSync(`${folder}/page.html`, `<!doctype html><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,"><script src="file://${playground}core.js"></script>`);
    return open(`${folder}/page.html`);
}

test('the worker runs from a file, with progress, and can be cancelled', async () => {
    const tab = await page();
    const answer = await tab.evaluate(async () => {
        const make = await Halfspace.run(['make', 'moons', '--rows', '2000', '-o', 'p.csv'], { read: ['p.csv'] });
        const files = { 'p.csv': make.files['p.csv'] }, heard = [];
        const began = performance.now();
        let error = null;
        const heavy = ['tune', 'svm', 'p.csv', '--kernel', 'rbf', '--json'];
        await Halfspace.run(heavy, { files, onprogress(p) { heard.push(p); if (heard.length === 2) Halfspace.cancel(); } })
            .catch((e) => { error = e.name; });
        const stopped = performance.now();
        const next = await Halfspace.run(['--version']);
        return { heard, error, next: next.stdout, again: performance.now() - stopped, ran: stopped - began };
    });
    assert.equal(answer.error, 'AbortError');
    assert.match(answer.heard[0].text, /\w+/);
    assert.match(answer.next, /^halfspace \d/);
    assert.ok(answer.again < 2000, `${answer.again} ms until the next answer`);
    assert.deepEqual(tab.problems, []);
});
