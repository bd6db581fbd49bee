// The WebAssembly core gives the bits of the native one: every command of tests/same-bits, one after the other.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { compare } from './bits.mjs';
import { test, top } from './harness.mjs';

// Where the two may differ, and why (docs/development/web.md). A difference anywhere else is a failure.
const DIFFERENT = [
    ['no libarchive', (line) => /\.(gz|bz2|xz|zst)\b/.test(line)],
    ['CLP with other linear algebra', (line, { place }) => /\blp\b/.test(line) ||
        (/^certify/.test(line) && /\/multipliers\/|\/why$|established$/.test(place))],
    ['long double has 113 bits of precision, not 64', (line, { place, native, web }) =>
        /\/offset_interval\/\d$/.test(place) || (/^audit/.test(line) && (/\/observed$/.test(place) ||
        (/\/bound$/.test(place) && Math.abs(native - web) <= 1e-13 * Math.abs(native))))],
    ['erfc, tanh, sin and cos of another C library', (line, { place }) =>
        /probit|sigmoid/.test(line) || /^predict p-fourier/.test(line) || /^bound simulate.*mean_/.test(`${line} ${place}`)],
];
// They take long without wide vector instructions.
const SLOW = /far\.svm --k auto|--C 1e8 --gap 1e-9/;

test('models, scores, reports and certificates are the same to the bit', async () => {
    const folder = mkdtempSync(`${tmpdir()}/halfspace-bits-`), failures = [], counts = {};
    let same = 0, models = 0, certificates = 0;
    for (const name of readdirSync(`${top}tests/same-bits/data`)) cpSync(`${top}tests/same-bits/data/${name}`, `${folder}/${name}`);
    for (const name of ['iris.csv', 'weather.csv']) cpSync(`${top}examples/${name}`, `${folder}/${name}`);
    for (const line of readFileSync(`${top}tests/same-bits/commands`, 'utf8').split('\n')) {
        if (!line.trim() || line.startsWith('#') || SLOW.test(line)) continue;
        const differ = await compare(line, folder);
        if (!differ) continue;
        if (!differ.length) {
            same++;
            models += /^(train|tune) .*-o \S+\.hsp/.test(line);
            certificates += /^certify/.test(line);
        }
        const reasons = new Set();
        for (const one of differ) {
            const reason = DIFFERENT.find(([, holds]) => holds(line, one));
            if (reason) reasons.add(reason[0]);
            else failures.push(`${line}\n    ${one.place}: ${one.native.slice(0, 60)}, in WebAssembly ${one.web.slice(0, 60)}`);
        }
        for (const reason of reasons) counts[reason] = (counts[reason] || 0) + 1;
    }
    rmSync(folder, { recursive: true });
    console.log(`   the same: ${same} commands, of them ${models} models and ${certificates} certificates`);
    for (const [reason, count] of Object.entries(counts)) console.log(`   different: ${count} (${reason})`);
    assert.deepEqual(failures, []);
    assert.ok(models >= 50 && same >= 500);
});
