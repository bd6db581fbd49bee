// node tests/web/run.mjs [WORD...]: the tests of every *.test.mjs here whose name contains a word, or of all.
import { readdirSync } from 'node:fs';
import { close, tests } from './harness.mjs';

const words = process.argv.slice(2), LIMIT = 300; // seconds for one test
let passed = 0, failed = 0;
for (const file of readdirSync(new URL('.', import.meta.url)).sort()) {
    if (!file.endsWith('.test.mjs') || (words.length && !words.some((word) => file.includes(word)))) continue;
    tests.length = 0;
    await import(`./${file}`);
    for (const { name, run } of [...tests]) {
        const title = `${file.replace('.test.mjs', '')}: ${name}`, began = Date.now();
        let timer;
        const late = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`not done after ${LIMIT} seconds`)), LIMIT * 1000);
        });
        try {
            await Promise.race([run(), late]);
            console.log(`ok ${title} (${Date.now() - began} ms)`);
            passed++;
        } catch (error) {
            console.log(`FAILED ${title}\n${error && error.stack || error}`);
            failed++;
        }
        clearTimeout(timer);
    }
}
await close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
