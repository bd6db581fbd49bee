// Pages that `halfspace report` writes: valid, accessible, self-contained, readable on a phone, on paper and without scripts.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { native, open, require, test, top } from './harness.mjs';

const folder = `${top}build/web-report/`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const run = (...argv) => native(['halfspace', ...argv], { cwd: folder });
const put = (name, lines) => writeFileSync(folder + name, `${lines.join('\n')}\n`);

// Rows around a centre per class, always the same ones.
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const rows = (classes, each, features, name = (c) => `c${c}`) => Array.from({ length: classes * each }, (_, i) => [
    name(i % classes), ...Array.from({ length: features }, (_, j) => `${j + 1}:${((i % classes) * (j + 1) % 7 + random() * 2).toFixed(3)}`)].join(' '));

const reading = ['--ignore', 'customer', '--date', 'signup=%Y-%m-%d', '--thousands', ',', '--currency', '--percent', '--missing', 'mean',
    '--ignore-case'];
const hostile = '</script><b onmouseover="alert(1)">&amp;';

// What to train, and what the report is made of: each has one thing that the others have not.
const cases = {
    churn() { // dates, amounts, categories, text; a test file
        run('split', '-q', `${top}examples/churn.csv`, '--test', '0.25', 'train.csv', 'test.csv');
        run('train', 'logistic', '-q', 'train.csv', ...reading, '--scale', 'standard', '-o', 'churn.hsp');
        return ['churn.hsp', 'train.csv', '--test', 'test.csv', ...reading];
    },
    certified() { // a certificate that holds
        run('train', 'svm', '-q', '--keep-dual', '--positive', 'setosa', `${top}examples/iris.csv`, '-o', 'setosa.hsp');
        run('certify', '-q', `${top}examples/iris.csv`, '--model', 'setosa.hsp', '-o', 'setosa.cert');
        return ['setosa.hsp', `${top}examples/iris.csv`, '--certificate', 'setosa.cert'];
    },
    fifty() { // many classes, of which one has no test rows
        put('fifty.svm', rows(50, 8, 6));
        put('fifty-test.svm', rows(50, 3, 6).filter((row) => !row.startsWith('c7 ')));
        run('train', 'svm', '-q', 'fifty.svm', '-o', 'fifty.hsp');
        return ['fifty.hsp', 'fifty.svm', '--test', 'fifty-test.svm'];
    },
    neighbours() {
        run('train', 'knn', '-q', `${top}examples/iris.csv`, '-o', 'knn.hsp');
        return ['knn.hsp', `${top}examples/iris.csv`];
    },
    kernel() {
        put('two.svm', rows(2, 60, 2));
        run('train', 'svm', '-q', '--kernel', 'rbf(0.5)', '--calibrate', 'platt', 'two.svm', '-o', 'kernel.hsp');
        return ['kernel.hsp', 'two.svm'];
    },
    imported() { // no record of the training
        put('plain.svm', rows(2, 60, 2, (c) => c + 1));
        run('train', 'svm', '-q', 'plain.svm', '-o', 'plain.hsp');
        run('model', 'export', '-q', 'plain.hsp', '--format', 'liblinear', '-o', 'plain.liblinear');
        return ['plain.liblinear', 'plain.svm'];
    },
    hostile() { // names that are HTML, control characters, very long
        const names = ['a', hostile, `${'long'.repeat(200)}`, '\u202eevil\u0007'];
        const quoted = names.map((name) => `"${name.replace(/"/g, '""')}"`);
        put('hostile.csv', [[...quoted, 'class'].join(',')].concat(Array.from({ length: 80 }, (_, i) => [
            ...names.map((_, j) => (i % 2 + random() + j).toFixed(3)), i % 2 ? quoted[1] : quoted[2]].join(','))));
        run('train', 'perceptron', '-q', 'hostile.csv', '-o', 'hostile.hsp');
        return ['hostile.hsp', 'hostile.csv', '--title', `${hostile} report`];
    },
};

const made = {};
function page(name) {
    if (made[name]) return made[name];
    const path = `${folder}${name}.html`;
    let told;
    try {
        told = run('report', ...cases[name](), '--json', '-o', path);
    } catch (error) {
        throw new Error(error.stderr || error);
    }
    return made[name] = { path, told: JSON.parse(told), text: readFileSync(path, 'utf8') };
}

for (const name of Object.keys(cases)) {
    test(`${name}: valid, one file, under 1 MB`, async () => {
        const { text } = page(name);
        const { HtmlValidate } = require('html-validate');
        const report = await new HtmlValidate({
            extends: ['html-validate:recommended'],
            // long lines and the look of the source are no matter of the reader
            rules: { 'long-title': 'off', 'no-trailing-whitespace': 'off' },
        }).validateString(text);
        assert.deepEqual(report.results.flatMap((one) => one.messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`)).slice(0, 10), []);
        assert(Buffer.byteLength(text) < 1e6, `${Buffer.byteLength(text)} bytes`);
        assert(!/<script|<link|<iframe|@import|url\(/i.test(text));
        assert(!/>\s*-?(nan|inf)\s*</i.test(text));
    });
    for (const colorScheme of ['light', 'dark'])
        test(`${name}: accessible, ${colorScheme}`, async () => {
            const view = await open(page(name).path, { colorScheme });
            await view.addScriptTag({ path: require.resolve('axe-core') });
            const { violations } = await view.evaluate(() => globalThis.axe.run());
            assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.length}, ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].failureSummary}`), []);
            assert.deepEqual(view.problems, []);
            await view.context().close();
        });
    test(`${name}: a phone, without scripts`, async () => {
        const view = await open(page(name).path, { viewport: { width: 375, height: 800 }, javaScriptEnabled: false });
        const box = await view.locator('main').boundingBox();
        assert(box.width <= 375);
        await view.context().close();
        const other = await open(page(name).path, { viewport: { width: 375, height: 800 } });
        assert.equal(await other.evaluate(() => document.documentElement.scrollWidth), 375);
        await other.context().close();
    });
}

test('the text of the page', async () => {
    const says = async (name) => {
        const view = await open(page(name).path);
        const text = await view.locator('body').innerText();
        await view.context().close();
        return text;
    };
    const churn = await says('churn');
    for (const part of ['test rows', 'The run converged', 'halfspace train logistic', 'signup', 'Its true error is at least', 'SHA-256'])
        assert(churn.includes(part), part);
    assert.match(await says('certified'), /is verified: every claim holds/);
    assert.match(await says('imported'), /no record of its training/);
    assert.match(await says('fifty'), /has the class 'c7'/);
    assert.match(await says('neighbours'), /rows that the model was trained on/);
    assert.match(await says('kernel'), /This model has no weights per feature/);
    assert((await says('hostile')).includes('</script><b onmouseover='), 'a label is shown as it is written');
    assert(!page('hostile').text.includes('<b onmouseover'));
});

test('figures follow the theme of the reader', async () => {
    const colours = [];
    for (const colorScheme of ['light', 'dark']) {
        const view = await open(page('churn').path, { colorScheme });
        assert(await view.locator('figure svg[role=img]').count() >= 5);
        colours.push(await view.locator('figure .both text').first().evaluate((text) => getComputedStyle(text).fill));
        await view.context().close();
    }
    assert.notEqual(colours[0], colours[1]);
});

test('paper', async () => {
    const view = await open(page('churn').path, { colorScheme: 'dark' });
    const pdf = await view.pdf({ format: 'A4' });
    writeFileSync(`${folder}churn.pdf`, pdf);
    await view.context().close();
    const words = execFileSync('pdftotext', [`${folder}churn.pdf`, '-'], { encoding: 'utf8' });
    assert.match(words, /How to reproduce it/);
    assert(!words.includes('Skip to the report'));
});
