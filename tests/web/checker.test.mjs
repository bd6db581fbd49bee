// The checker in WebAssembly says what the native one says, of sound certificates and of altered ones.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { core, test, top } from './harness.mjs';

const cases = `${top}tests/verify/cases/`;

// A digit becomes another one; deterministic.
function alter(text, step) {
    const digits = [...text.matchAll(/\d/g)], { index } = digits[(step * 7919 + 13) % digits.length];
    return `${text.slice(0, index)}${(Number(text[index]) + 1 + (step % 9)) % 10}${text.slice(index + 1)}`;
}

test('the same answers as the native checker, of 10 variants of each certificate', async () => {
    const folder = mkdtempSync(`${tmpdir()}/halfspace-checker-`), answers = {};
    for (const name of readdirSync(cases).filter((file) => file.endsWith('.json'))) {
        const sound = readFileSync(cases + name, 'utf8'), base = name.replace('.json', '');
        const names = [`${base}.data`, `${base}.test`].filter((file) => existsSync(cases + file));
        const files = Object.fromEntries(names.map((file) => [file, readFileSync(cases + file, 'utf8')]));
        for (const [file, content] of Object.entries(files)) writeFileSync(`${folder}/${file}`, content);
        for (let step = 0; step <= 10; step++) {
            const certificate = step ? alter(sound, step) : sound, argv = ['c.json', ...names];
            writeFileSync(`${folder}/c.json`, certificate);
            const native = spawnSync(`${top}build/halfspace-verify`, argv, { cwd: folder, encoding: 'utf8' });
            const own = await core().verify(argv, { 'c.json': certificate, ...files });
            assert.deepEqual([own.status, own.stdout, own.stderr], [native.status, native.stdout, native.stderr], `${name}, variant ${step}`);
            answers[own.status] = (answers[own.status] || 0) + 1;
        }
    }
    rmSync(folder, { recursive: true });
    console.log(`   verified ${answers[0]}, rejected ${answers[1]}, unreadable ${answers[3]}`);
    assert.ok(answers[0] >= 13 && answers[1] >= 30);
});
