// The playground as its users meet it: opened from a file, in Chromium.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { native, open, playground, require, test } from './harness.mjs';

const index = `${playground}index.html`;

async function start(settings = {}, fragment = '') {
    const page = await open(`file://${index}${fragment}`, { viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...settings });
    await page.waitForFunction(() => document.body.dataset.ready);
    await quiet(page);
    return page;
}

// Wait until the last change has been trained and drawn.
async function quiet(page) {
    await page.waitForFunction(() => Playground.idle());
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const points = (page) => page.evaluate(() => Playground.data().points);
const report = (page) => page.evaluate(() => Playground.model && Playground.model.report);
const commands = (page) => page.locator('#commands').innerText();
const fill = (page, text) => page.evaluate((csv) => Playground.importCsv(csv, 'test'), text);
async function where(page, x, y) {
    const box = await page.locator('#canvas').boundingBox(), at = await page.evaluate(([a, b]) => Playground.toPixel(a, b), [x, y]);
    return [box.x + at[0], box.y + at[1]];
}
async function done(page) {
    assert.deepEqual(page.problems, []);
    await page.context().close();
}

// The C library's exp rounds otherwise on some processors; bits.test.mjs compares to the bit.
const near = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.abs(b);

const apart = 'x,y,class\n-1,0,A\n-0.8,0.5,A\n-0.5,-0.6,A\n0.6,0.4,B\n0.9,-0.2,B\n1,0.8,B\n';
const cross = 'x,y,class\n-1,-1,A\n1,1,A\n-1,1,B\n1,-1,B\n-0.9,-0.8,A\n0.9,-0.8,B\n';

// ---- Points ----

test('click places, drag moves, the eraser and the right button delete; undo and redo', async () => {
    const page = await start();
    await page.click('#clear');
    for (const [c, x, y] of [[1, -0.5, 0], [2, 0.5, 0.25], [5, 0, 1]]) {
        await page.keyboard.press(String(c));
        await page.mouse.click(...await where(page, x, y));
    }
    assert.deepEqual((await points(page)).map((p) => p.c), [0, 1, 4]);
    await page.mouse.move(...await where(page, -0.5, 0));
    await page.mouse.down();
    await page.mouse.move(...await where(page, -0.7, -0.4), { steps: 4 });
    await page.mouse.up();
    const moved = (await points(page))[0];
    assert.ok(Math.abs(moved.x + 0.7) < 0.01 && Math.abs(moved.y + 0.4) < 0.01, JSON.stringify(moved));
    await page.click('#undo');
    assert.ok(Math.abs((await points(page))[0].x + 0.5) < 0.01, 'one undo takes the whole drag back');
    await page.click('#redo');
    assert.ok(Math.abs((await points(page))[0].x + 0.7) < 0.01);
    await page.mouse.click(...await where(page, 0, 1), { button: 'right' });
    assert.equal((await points(page)).length, 2);
    await page.check('#tools input[value=erase]');
    await page.mouse.click(...await where(page, 0.5, 0.25));
    assert.equal((await points(page)).length, 1);
    await page.check('#tools input[value=brush]');
    await page.mouse.move(...await where(page, -0.5, -1));
    await page.mouse.down();
    await page.mouse.move(...await where(page, 0.5, -1), { steps: 20 });
    await page.mouse.up();
    assert.ok((await points(page)).length > 6, `${(await points(page)).length} points after the brush`);
    await page.keyboard.press('Control+z');
    assert.equal((await points(page)).length, 1, 'one undo takes the stroke back');
    await page.check('#tools input[value=erase]');
    await page.mouse.click(...await where(page, 0.9, 0.9));
    await page.click('#redo');
    assert.ok((await points(page)).length > 6, 'a click that changes nothing leaves undo and redo as they were');
    await done(page);
});

test('everything by keyboard', async () => {
    const page = await start();
    await page.click('#clear');
    await page.focus('#canvas');
    await page.keyboard.press('2');
    for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await page.keyboard.press('1');
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Space');
    assert.deepEqual(await points(page), [{ x: 0.5, y: 0, c: 1 }, { x: -0.5, y: 0, c: 0 }]);
    await quiet(page);
    assert.equal((await report(page)).training_error, 0);
    assert.match(await page.locator('#message').innerText(), /Placed class A at −0\.5, 0\./);
    await page.keyboard.press('m');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('m');
    assert.equal((await points(page))[1].y, 0.05);
    await page.keyboard.press('n');
    await page.keyboard.press('Delete');
    assert.equal((await points(page)).length, 1);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    assert.deepEqual((await points(page))[1], { x: -0.5, y: 0, c: 0 });
    await page.keyboard.press('Control+Shift+z');
    assert.equal((await points(page))[1].y, 0.05);
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'canvas', 'Tab leaves the drawing');
    await page.focus('#tab-learn');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => Playground.tab()), 'steps');
    await done(page);
});

test('every generator, and its command', async () => {
    const page = await start();
    for (const name of ['separable', 'moons', 'xor', 'rings', 'noise']) {
        await page.selectOption('#generator', name);
        await page.fill('#rows', '50');
        await page.click('#generate button[type=submit]');
        await page.waitForFunction(() => Playground.data().points.length === 50);
        await quiet(page);
        const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`), line = (await commands(page)).split('\n')[0].replace(/^\$ /, '');
        assert.match(line, /^halfspace make \w+ .*-o points\.csv$/);
        native(line.split(' '), { cwd: folder });
        assert.equal(readFileSync(`${folder}/points.csv`, 'utf8').trim(), (await page.evaluate(() => Playground.csv())).trim(), `${name}: the command makes the same file`);
        await page.evaluate(() => Playground.empty());
    }
    await done(page);
});

test('import of CSV: dropped, from a file, as text; columns to choose from; sentences for what cannot be read', async () => {
    const page = await start();
    const drop = (name, text) => page.evaluate(([file, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], file, { type: 'text/csv' }));
        document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [name, text]);
    const said = (pattern) => page.waitForFunction((p) => new RegExp(p).test(document.getElementById('message').textContent), pattern);
    await drop('three.csv', '"a, b";c;kind\n1;2;"x ""1"""\n3;4.5;y\n-1e2;0;y\n');
    await said('three.csv: 3 points, 2 classes');
    assert.deepEqual(await points(page), [{ x: 1, y: 2, c: 0 }, { x: 3, y: 4.5, c: 1 }, { x: -100, y: 0, c: 1 }]);
    assert.match(await page.evaluate(() => Playground.csv()), /^"a, b",c,kind\n1,2,"x ""1"""\n/);
    const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`);
    writeFileSync(`${folder}/iris.csv`, 'sl,sw,pl,pw,species\n5.1,3.5,1.4,0.2,setosa\n7,3.2,4.7,1.4,versicolor\n6.3,3.3,6,2.5,virginica\n');
    await page.setInputFiles('#file', `${folder}/iris.csv`);
    await page.waitForSelector('#columns-dialog[open]');
    await page.selectOption('#column-x', { label: 'pl' });
    await page.selectOption('#column-y', { label: 'pl' });
    await page.click('#columns-form button[type=submit]');
    assert.match(await page.locator('#columns-message').innerText(), /three different columns/);
    await page.selectOption('#column-y', { label: 'pw' });
    await page.click('#columns-form button[type=submit]');
    assert.deepEqual((await points(page))[2], { x: 6, y: 2.5, c: 2 });
    await quiet(page);
    assert.equal((await report(page)).classes, 3);
    for (const [text, sentence] of [['', 'empty'], ['x,y,class\n', 'no rows'], ['x,y,class\n1,2,a\n1,2\n', 'Line 3 has 2 fields, expected 3'],
        ['x,class\n1,a\n2,b\n', 'two columns of numbers'], ['x,y,class\n1,1,a\n1,1,b\n1,1,c\n1,1,d\n1,1,e\n1,1,f\n', '6 different values']]) {
        await drop('bad.csv', text);
        await said(sentence);
    }
    assert.equal((await points(page)).length, 3, 'a file that cannot be read changes nothing');
    await page.click('#text-data summary');
    await page.waitForFunction(() => document.getElementById('text').value === Playground.csv());
    await page.fill('#text', apart);
    await page.click('#apply');
    assert.equal((await points(page)).length, 6);
    await done(page);
});

test('a link carries points, learner and options', async () => {
    const page = await start();
    await fill(page, 'höhe,y,class\n0.125,-3.5,ä b\n1e-7,2,"c,d"\n5,5,"c,d"\n');
    await page.selectOption('#learner', 'knn');
    await page.fill('#option-k', '1');
    await page.click('#share');
    const link = await page.inputValue('#link');
    await page.click('#share-dialog button[type=submit]');
    const other = await start({}, link.slice(link.indexOf('#')));
    assert.deepEqual(await points(other), await points(page));
    assert.equal(await other.evaluate(() => Playground.csv()), await page.evaluate(() => Playground.csv()));
    assert.match(await commands(other), /halfspace train knn --k 1 points\.csv -o model\.hsp/);
    await done(other);
    for (const bad of ['#s=AAAA', '#s=%%%', `#s=${Buffer.from('{"v":1,"classes":["A"],"columns":["x","y","c"],"points":"1 2 7"}').toString('base64url')}`]) {
        const broken = await start({}, bad);
        assert.ok((await points(broken)).length > 0, 'a broken link starts with points');
        assert.match(await broken.locator('#message').innerText(), /cannot be read/);
        await done(broken);
    }
    await done(page);
});

// ---- Learners ----

test('every learner is trained, with the figures of the native command', async () => {
    const page = await start();
    for (const csv of [apart, 'x,y,class\n0,0,A\n0.1,0.3,A\n1,0.9,B\n0.8,1,B\n0,1,C\n0.2,0.9,C\n', cross]) {
        await fill(page, csv);
        for (const learner of await page.evaluate(() => Playground.learnerNames())) {
            await page.selectOption('#learner', learner);
            await quiet(page);
            const model = await page.evaluate(() => ({ error: Playground.model.error, report: Playground.model.report, drawn: Boolean(Playground.model.grid) }));
            assert.equal(model.error, null, learner);
            const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`), words = await page.evaluate(() => Playground.trainWords());
            writeFileSync(`${folder}/points.csv`, await page.evaluate(() => Playground.csv()));
            let text;
            try {
                text = native([...words, '--json', '-q'], { cwd: folder });
            } catch (error) {
                text = error.stdout;
            }
            const want = JSON.parse(text);
            // CLP has other linear algebra here: its steps and last digits are its own.
            const exact = ['training_error', 'converged', 'stop', ...(learner === 'lp' ? [] : ['updates', 'margin', 'objective', 'support_vectors'])];
            for (const key of exact)
                assert.ok(near(model.report[key], want[key]), `${learner} ${key}: ${model.report[key]}, native ${want[key]}`);
            assert.equal(model.drawn, existsSync(`${folder}/model.hsp`), `${learner} is drawn`);
            assert.match(await page.locator('#result .statement').innerText(), /side|separates/);
        }
    }
    await done(page);
});

test('the form has every option of the tables, checks it, and builds the command', async () => {
    const page = await start();
    await fill(page, apart);
    for (const learner of await page.evaluate(() => Playground.learnerNames())) {
        await page.selectOption('#learner', learner);
        const missing = await page.evaluate(() => Playground.table().options
            .filter((o) => !/^(FILE|MODEL)$/.test(o.meta) && o.name !== 'row-weight' && !document.getElementById(`option-${o.name}`)).map((o) => o.name));
        assert.deepEqual(missing, [], learner);
    }
    await page.selectOption('#learner', 'svm');
    await page.fill('#option-C', '2.5');
    await page.locator('.chip', { hasText: 'rbf(10)' }).click();
    await page.locator('#options details summary').click();
    await page.selectOption('#option-loss', 'squared');
    await quiet(page);
    assert.match(await commands(page), /halfspace train svm --C 2\.5 --loss squared --kernel 'rbf\(10\)' --keep-dual points\.csv -o model\.hsp/);
    assert.equal((await report(page)).C, 2.5);
    await page.fill('#option-C', '-1');
    assert.match(await page.locator('#option-C-wrong').innerText(), /At least/);
    await page.fill('#option-C', 'much');
    assert.match(await page.locator('#option-C-wrong').innerText(), /number/);
    assert.equal((await report(page)).C, 2.5, 'a wrong value changes nothing');
    await page.fill('#option-kernel', 'rbf(');
    await page.fill('#option-C', '1');
    await quiet(page);
    assert.match(await page.locator('#result').innerText(), /kernel/);
    await page.click('text=Reset options');
    await quiet(page);
    assert.match(await commands(page), /train svm --C 1 --keep-dual points/);
    await page.click('#report summary');
    await page.waitForFunction(() => /svm on points.csv: 6 rows/.test(document.getElementById('report-text').textContent));
    await done(page);
});

test('500 points: every learner trains and draws at each change', async () => {
    const page = await start();
    const times = await page.evaluate(async () => {
        const P = Playground, times = {};
        let lap = () => {};
        P.on('model', () => lap());
        await P.generate('moons', 500, 1);
        for (const [learner, options] of [...P.learnerNames().map((name) => [name, P.startOptions(name)]), ['svm', { C: '1', kernel: 'rbf(2)', 'keep-dual': true }]]) {
            P.choose(learner, options);
            const laps = [];
            for (let i = 0; i < 10; i++) {
                while (!P.idle()) await new Promise((done) => setTimeout(done, 5));
                const began = performance.now(), drawn = new Promise((done) => { lap = done; });
                P.move(i, 0.1 * i, 0.3);
                await drawn;
                P.drawNow();
                laps.push(performance.now() - began);
                if (P.model.bytes && !(P.model.grid && P.model.looked)) throw new Error(`${learner}: the model is not drawn`);
            }
            times[learner + (options.kernel || '')] = Math.min(...laps);
        }
        return times;
    });
    for (const [name, time] of Object.entries(times)) console.log(`   ${name}: ${time.toFixed(1)} ms`);
    assert.equal(Object.keys(times).length, 8); // the times are for people: machines differ
    await done(page);
});

test('a heavy run shows its progress and can be cancelled', async () => {
    const page = await start();
    await page.evaluate(() => Playground.generate('noise', 5000, 1));
    await quiet(page);
    await page.evaluate(() => Playground.choose('svm', { C: '100000', kernel: 'rbf(500)', gap: '1e-9' }));
    await page.waitForSelector('#busy:not([hidden])', { timeout: 20000 });
    await page.waitForFunction(() => /duality gap/.test(document.getElementById('busy-text').textContent), null, { timeout: 20000 });
    assert.ok(await page.evaluate(() => new Promise((done) => requestAnimationFrame((from) => requestAnimationFrame((to) => done(to - from))))) < 200, 'the page draws on');
    await page.click('#cancel');
    await quiet(page);
    assert.match(await page.locator('#result').innerText(), /Cancelled/);
    await page.evaluate(() => Playground.choose('knn', {}));
    await quiet(page);
    assert.equal((await report(page)).learner, 'knn');
    await done(page);
});

// ---- Steps ----

test('steps: perceptron, kernel perceptron, Winnow and experts, with their bounds', async () => {
    const page = await start();
    await fill(page, apart);
    await page.click('#tab-steps');
    for (const kind of ['perceptron', 'kernel', 'winnow', 'experts']) {
        await page.selectOption('#step-kind', kind);
        await page.waitForFunction((k) => Playground.steps() && Playground.steps().run.kind === k && Playground.steps().run.shown, kind);
        await quiet(page);
        const { rows, updates, last } = await page.evaluate(() => {
            const { run } = Playground.steps();
            return { rows: run.visits.length, updates: run.trace.length, last: run.visits.at(-1).pass };
        });
        assert.ok(rows >= 6 && last >= 1, kind);
        assert.match(await page.locator('#step-card').innerText(), /Before the first row/);
        await page.click('#step-next');
        await page.waitForFunction(() => /Row 1 /.test(document.getElementById('step-card').textContent));
        assert.match(await page.locator('#step-card').innerText(), /Score before/);
        let before = await inequalities(page);
        for (let i = 0; i < rows && await page.isEnabled('#step-mistake'); i++) {
            await page.click('#step-mistake');
            await page.waitForFunction(() => Playground.steps().drawn === Playground.steps().at);
            const now = await inequalities(page), wrong = await page.locator('#step-card .bad').count();
            if (wrong) assert.ok(now[0].value === before[0].value + 1, `${kind}: one mistake more`);
            for (const [b, bar] of now.entries()) assert.ok(!wrong || bar.width >= before[b].width || bar.title !== before[b].title || bar.below, `${kind}: ${bar.title} grows`);
            if (wrong && kind !== 'kernel' && kind !== 'experts') assert.match(await page.locator('#step-card').innerText(), /w\n\(.*\) → \(.*\)[^]*Score after/);
            before = now;
        }
        await page.waitForFunction(() => Playground.steps().at === Playground.steps().run.visits.length);
        const text = await page.locator('#step-bounds').innerText();
        assert.match(text, /Mistakes so far/, kind);
        if (kind === 'perceptron' || kind === 'kernel') {
            assert.match(text, /⟨w, w\*⟩[^]*at least k γ[^]*\|w\|²[^]*at most k R²/);
            const lines = await page.evaluate(() => Playground.steps().run.trace);
            assert.equal(lines.length, updates);
            for (const line of lines) assert.ok(line.inner >= line.inner_bound - 1e-9 && line.norm2 <= line.norm2_bound + 1e-9);
            assert.equal(await page.evaluate(() => Playground.steps().mistakes), updates);
        }
        if (kind === 'winnow') assert.match(text, /Sum of the weights/);
        if (kind === 'experts') assert.match(text, /Best expert so far/);
        await page.click('#step-back');
        await page.click('#step-start');
        await page.waitForFunction(() => Playground.steps().at === 0);
    }
    await page.evaluate(() => Playground.choose('winnow', { variant: 'balanced', delta: '0.02', scale: 'min-max', passes: 'until-converged' }));
    await page.waitForFunction(() => Playground.steps() && Playground.steps().run.balanced && Playground.steps().run.shown);
    for (let i = 0; i < 5 && await page.isEnabled('#step-mistake'); i++) {
        await page.click('#step-mistake');
        await page.waitForFunction(() => Playground.steps().drawn === Playground.steps().at);
        assert.equal((await inequalities(page)).length, 3, 'balanced: mistakes and two inequalities');
    }
    await fill(page, cross);
    await page.selectOption('#step-kind', 'perceptron');
    await page.waitForFunction(() => Playground.steps() && !Playground.steps().run.separable);
    await page.waitForFunction(() => /cannot be separated/.test(document.getElementById('step-bounds').textContent));
    await done(page);
});

// The pairs of bars, after a check of what each says: the value is on its side of the limit, and the bars are as long as the numbers say.
async function inequalities(page) {
    const bars = await page.locator('#step-bounds .bound').evaluateAll((boxes) => boxes.map((box) => {
        const number = (k) => Number(box.querySelectorAll('.pair span:last-child')[k].textContent.replace('−', '-'));
        const widths = [...box.querySelectorAll('.meter span')].map((bar) => parseFloat(bar.style.width));
        return { title: box.querySelector('h3').textContent, text: box.textContent, value: number(0), limit: number(1), width: widths[0], limitWidth: widths[1] };
    }));
    for (const bar of bars) {
        bar.below = !/at least/.test(bar.text);
        const off = 1e-3 * (1 + Math.abs(bar.limit));
        assert.ok(bar.below ? bar.value <= bar.limit + off : bar.value >= bar.limit - off, bar.text);
        assert.ok(bar.below ? bar.width <= bar.limitWidth + 0.1 : bar.width >= bar.limitWidth - 0.1, `bars of ${bar.text}`);
    }
    return bars;
}

// ---- Certificates ----

test('certificates: checked in the page, saved, and verified by the native checker', async () => {
    const page = await start();
    for (const [csv, claim] of [[apart, 'separable'], [cross, 'not separable']]) {
        await fill(page, csv);
        await page.evaluate(() => Playground.choose('svm', { C: '1', 'keep-dual': true }));
        await quiet(page);
        await page.click('#tab-certificate');
        await page.click('#certify');
        await page.waitForSelector('#checked');
        assert.match(await page.locator('#checked').innerText(), /every claim holds/);
        const claims = await page.evaluate(() => Playground.certificate().content.claims.map((c) => c.claim));
        assert.ok(claims.includes(claim) && claims.includes('optimal'), claims.join());
        const folder = mkdtempSync(`${tmpdir()}/halfspace-web-`), saved = [];
        page.on('download', (download) => saved.push(download));
        await page.click('#save-certificate');
        while (saved.length < 2) await page.waitForTimeout(20);
        for (const download of saved) await download.saveAs(`${folder}/${download.suggestedFilename()}`);
        assert.match(native(['halfspace-verify', 'points.cert', 'points.csv'], { cwd: folder }), /verified: all claims hold/);
        const files = ['points.csv', 'points.cert'].map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
        writeFileSync(`${folder}/points.csv`, files[0].replace('1,', '2,'));
        assert.throws(() => native(['halfspace-verify', 'points.cert', 'points.csv'], { cwd: folder }), 'another file is refused');
        page.removeAllListeners('download');
        await page.evaluate(() => Playground.add(0, 0, 0));
        assert.match(await page.locator('#certificate-result').innerText(), /points have changed/);
    }
    await fill(page, 'x,y,class\n0,0,A\n0.1,0.3,A\n1,0.9,B\n0.8,1,B\n0,1,C\n0.2,0.9,C\n');
    await quiet(page);
    await page.selectOption('#positive', { label: 'B' });
    await page.click('#certify');
    await page.waitForSelector('#checked');
    assert.match(await page.locator('#certificate-result').innerText(), /straight line separates/);
    await fill(page, cross);
    await page.evaluate(() => Playground.choose('svm', { C: '10', kernel: 'rbf(2)', 'keep-dual': true }));
    await quiet(page);
    await page.check('#about-kernel');
    await page.click('#certify');
    await page.waitForFunction(() => /feature space of the kernel, the classes can/.test(document.getElementById('certificate-result').textContent));
    assert.match(await page.locator('#checked').innerText(), /every claim holds/);
    await done(page);
});

// ---- Lessons ----

// How to answer each lesson in the page.
const answers = {
    line: (page) => page.evaluate(() => { Playground.relabel(0, 1); Playground.relabel(6, 0); }),
    perceptron: (page) => number(page, () => Playground.steps().run.trace.length, 'steps'),
    bound: async (page) => {
        await page.evaluate(() => Playground.load({ classes: ['-1', '1'], points: [[-0.9, -0.02, 0], [0.8, -0.02, 0], [-0.8, 0.02, 1], [0.9, 0.02, 1]].map(([x, y, c]) => ({ x, y, c })) }));
        await page.click('#tab-steps');
    },
    offset: (page) => page.evaluate(() => Playground.setOption('offset', 'unit')),
    'not-separable': async (page) => {
        await page.evaluate(() => Playground.add(-0.7, 0.5, 1));
        await quiet(page);
        await page.click('#tab-certificate');
        await page.click('#certify');
    },
    programs: async (page) => {
        await page.evaluate(() => Playground.move(0, 0.5, -0.5));
        await quiet(page);
        await number(page, () => Playground.model.report.evidence.rows.length);
    },
    margin: (page) => number(page, () => Playground.model.report.support_vectors),
    support: (page) => page.evaluate(() => Playground.remove(Playground.data().points.map((p, i) => i).filter((i) => !Playground.model.support.includes(i)).slice(0, 12))),
    soft: (page) => page.evaluate(() => Playground.setOption('C', '0.001')),
    kernel: (page) => page.evaluate(() => Playground.setOption('kernel', 'rbf(5)')),
    positive: async (page) => {
        await choice(page, 'rbf(2)*linear');
        await page.waitForFunction(() => document.getElementById('lesson-answer').className === 'bad');
        await choice(page, 'sigmoid(2,1)');
    },
    'new-points': (page) => choice(page, 'straight line'),
    enough: async (page) => {
        await page.evaluate(() => Playground.generate('separable', 300, 1));
        await page.waitForFunction(() => /ε = 0\.2/.test(document.getElementById('lesson-answer').textContent));
        await page.evaluate(() => Playground.generate('separable', 700, 1));
    },
    winnow: (page) => number(page, () => Playground.steps().run.trace.length, 'steps'),
    experts: async (page) => {
        await steps(page);
        const best = await page.evaluate(() => Playground.steps().run.trace.at(-1).best);
        await page.click('#tab-lessons');
        await page.locator('#panel-lessons').getByText(best, { exact: true }).click();
        await page.click('#lesson-check');
    },
    neighbours: (page) => page.evaluate(() => Playground.setOption('k', '5')),
    logistic: (page) => page.evaluate(() => Playground.setOption('C', '0.001')),
    classes: (page) => page.evaluate(() => { for (const [x, y] of [[0, 0.9], [0.1, 1], [-0.1, 1]]) Playground.add(x, y + 3, 3); }),
};
async function steps(page) {
    await page.click('#tab-steps');
    await page.waitForFunction(() => Playground.steps() && Playground.steps().run.shown);
}
async function choice(page, text) {
    await page.locator('#panel-lessons label', { hasText: text }).click();
    await page.click('#lesson-check');
}
async function number(page, read, tab) {
    if (tab) await steps(page);
    const value = await page.evaluate(read);
    await page.click('#tab-lessons');
    await page.fill('#lesson-number', String(value + 1));
    await page.click('#lesson-check');
    await page.waitForFunction(() => document.getElementById('lesson-answer').className === 'bad');
    await page.fill('#lesson-number', String(value));
    await page.click('#lesson-check');
}

test('every lesson sets up the playground and checks its answer', async () => {
    const page = await start();
    const ids = await page.evaluate(() => Playground.lessonIds());
    assert.ok(ids.length >= 12);
    for (const id of ids) {
        await page.click('#tab-lessons');
        const back = page.getByText('← All lessons');
        if (await back.isVisible()) await back.click();
        await page.click(`button[data-lesson="${id}"]`);
        await page.waitForSelector(`#panel-lessons[data-lesson="${id}"]`, { timeout: 60000 });
        await quiet(page);
        assert.notEqual(await page.locator('#lesson-answer').getAttribute('class'), 'good', `${id}: not answered at the start`);
        assert.ok(answers[id], `an answer to ${id}`);
        await answers[id](page);
        await page.waitForFunction(() => document.getElementById('lesson-answer').className === 'good', null, { timeout: 60000 })
            .catch(() => assert.fail(`${id}: the answer was not accepted`));
    }
    await page.click('#tab-lessons');
    await page.getByText('← All lessons').click();
    assert.equal(await page.getByText('✓ done').count(), ids.length);
    await done(page);
});

// ---- For everybody ----

test('the page is valid HTML', async () => {
    const { HtmlValidate } = require('html-validate');
    const report = await new HtmlValidate({ extends: ['html-validate:recommended'] }).validateFile(index);
    assert.deepEqual(report.results.flatMap((one) => one.messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`)), []);
});

test('accessible: axe-core finds nothing, in every panel, both themes, also on a phone', async () => {
    const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const settings of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { colorScheme: 'light', viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true }]) {
        const page = await start(settings);
        await page.evaluate(source);
        await fill(page, apart);
        await page.evaluate(() => Playground.choose('perceptron', { passes: 'until-converged' }));
        for (const tab of ['learn', 'steps', 'certificate', 'lessons']) {
            await page.click(`#tab-${tab}`);
            await quiet(page);
            if (tab === 'learn') await page.locator('#options details summary').click();
            if (tab === 'steps') await page.waitForFunction(() => Playground.steps() && Playground.steps().run.shown);
            if (tab === 'certificate') {
                await page.click('#certify');
                await page.waitForSelector('#checked');
            }
            if (tab === 'lessons') await page.click('button[data-lesson=new-points]');
            await quiet(page);
            await violations(page, `${tab} ${JSON.stringify(settings)}`);
        }
        for (const button of ['share', 'keys']) {
            await page.click(`#${button}`);
            await violations(page, button);
            await page.keyboard.press('Escape');
        }
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out to the right');
        await done(page);
    }
});
async function violations(page, note) {
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'], preload: false }));
    assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`), [], note);
}

test('a phone: tap places a point', async () => {
    const page = await start({ viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true });
    await page.tap('#clear');
    await page.locator('#canvas').scrollIntoViewIfNeeded();
    await page.touchscreen.tap(...await where(page, 0.5, 0.5));
    assert.equal((await points(page)).length, 1);
    await page.tap('#tab-lessons');
    await page.tap('button[data-lesson=kernel]');
    await page.waitForSelector('#panel-lessons[data-lesson=kernel]');
    const [title, frame] = [await page.locator('#lesson-title').boundingBox(), await page.locator('#frame').boundingBox()];
    assert.ok(title.y >= frame.y + frame.height && title.y < 740, 'the drawing does not hide the lesson');
    await done(page);
});

test('from a static server: the same page, and no request beyond it', async () => {
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
    const server = createServer((request, response) => {
        const name = request.url.split(/[?#]/)[0].replace(/\/$/, '/index.html');
        response.setHeader('Content-Type', types[name.split('.').pop()] || 'application/octet-stream');
        response.end(readFileSync(playground + name));
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    const home = `http://127.0.0.1:${server.address().port}/`, page = await open(home);
    await page.waitForFunction(() => document.body.dataset.ready);
    await quiet(page);
    assert.equal((await report(page)).training_error, 0);
    assert.deepEqual(page.problems.filter((url) => !url.startsWith(home)), []);
    await page.context().close();
    server.close();
});

// ---- Pictures ----

// The share of pixels of two PNGs that differ clearly; computed in the page, which can read PNGs.
const difference = (page, one, two) => page.evaluate(async (urls) => {
    const [a, b] = await Promise.all(urls.map(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.getContext('2d').getImageData(0, 0, image.width, image.height);
    }));
    if (a.width !== b.width || a.height !== b.height) return 1;
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4)
        if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 60) count++;
    return count / (a.width * a.height);
}, [one, two].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`));

async function lesson(page, id) {
    await page.click('#tab-lessons');
    await page.click(`button[data-lesson=${id}]`);
    await page.waitForSelector(`#panel-lessons[data-lesson=${id}]`);
}
const scenes = {
    'svm-line': (page) => page.evaluate(() => Playground.generate('separable', 40, 2)),
    'svm-kernel-dark': async (page) => {
        await page.evaluate(() => Playground.choose('svm', { C: '10', kernel: 'rbf(5)', 'keep-dual': true }));
        await page.evaluate(() => Playground.generate('moons', 60, 2));
        await page.click('#theme');
    },
    'classes': (page) => lesson(page, 'classes'),
    'neighbours': (page) => lesson(page, 'neighbours'),
    'step': async (page) => {
        await lesson(page, 'perceptron');
        await steps(page);
        for (let i = 0; i < 2; i++) {
            await page.click('#step-mistake');
            await quiet(page);
            await page.waitForTimeout(200);
        }
    },
    'hulls': async (page) => {
        await page.evaluate(() => Playground.generate('separable', 30, 2));
        await quiet(page);
        await page.click('#tab-certificate');
        await page.click('#certify');
        await page.waitForSelector('#checked');
    },
    'witness': async (page) => {
        await page.evaluate(() => Playground.generate('noise', 30, 2));
        await quiet(page);
        await page.click('#tab-certificate');
        await page.click('#certify');
        await page.waitForSelector('#checked');
    },
};

test('pictures of the drawing look as recorded (PICTURES=record writes them again)', async () => {
    for (const [name, set] of Object.entries(scenes)) {
        const page = await start({ viewport: { width: 640, height: 900 }, colorScheme: 'light' });
        await page.evaluate(() => { Playground.labels = false; document.getElementById('frame').style.width = '280px'; });
        await set(page);
        await quiet(page);
        await page.waitForTimeout(150);
        await page.evaluate(() => { document.activeElement.blur(); Playground.drawNow(); });
        const url = await page.evaluate(() => document.getElementById('canvas').toDataURL('image/png'));
        const got = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), file = new URL(`pictures/${name}.png`, import.meta.url);
        if (process.env.PICTURES === 'record') writeFileSync(file, got);
        const share = await difference(page, got, readFileSync(file));
        if (share > 0.01) writeFileSync(`${tmpdir()}/${name}.png`, got);
        assert.ok(share <= 0.01, `${name}: ${(100 * share).toFixed(2)}% of the pixels differ from ${file.pathname}`);
        await done(page);
    }
});
