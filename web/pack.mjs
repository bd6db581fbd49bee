// node web/pack.mjs OUT CORE PROGRAM.js...: one classic script from the programs and core.js.
// Each program is emscripten's script and, beside it, its WebAssembly; both are packed by gzip.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';

const [out, core, ...programs] = process.argv.slice(2);
const pack = (file) => gzipSync(readFileSync(file), { level: 9 }).toString('base64');
const parts = {};
for (const script of programs) {
    const name = basename(script, '.js');
    parts[name] = { script: pack(script), wasm: pack(script.replace(/js$/, 'wasm')) };
}
writeFileSync(out, `var HalfspaceParts = ${JSON.stringify(parts)};\n${readFileSync(core, 'utf8')}`);
