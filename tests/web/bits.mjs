// The same command by the native program and in WebAssembly, and what differs between the two.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { core, top } from './harness.mjs';

// Times, memory, versions and checksums over them.
const VARIES = /^((.*_)?seconds|peak_rss_bytes|threads|(fact\.)?version|written_by|made_by|crc32\..*)$/;

// Everything that is compared of a JSON value, as [place, text] pairs.
function* figures(value, place) {
    if (value && typeof value === 'object') {
        for (const [key, one] of Object.entries(value)) if (!VARIES.test(key)) yield* figures(one, `${place}/${key}`);
    } else {
        yield [place, Object.is(value, -0) ? '-0' : String(value)];
    }
}

// The same of a file: JSON by its values, safetensors by metadata and bytes of tensors, others by their bytes.
function* contents(bytes, name) {
    const hex = (data) => Buffer.from(data).toString('hex');
    const size = bytes.length > 8 ? Number(Buffer.from(bytes.buffer, bytes.byteOffset).readBigUInt64LE()) : 0;
    if (bytes[8] === 123 && size <= bytes.length - 8) {
        const header = JSON.parse(Buffer.from(bytes.subarray(8, 8 + size)).toString());
        const { __metadata__: metadata = {}, ...tensors } = header, body = bytes.subarray(8 + size);
        yield* figures(metadata, name);
        for (const [key, { dtype, shape, data_offsets: range }] of Object.entries(tensors))
            yield [`${name}/${key}`, `${dtype} ${shape} ${hex(body.subarray(...range))}`];
    } else if (bytes[0] === 123) {
        const value = JSON.parse(Buffer.from(bytes).toString());
        if (value.claims && value.model) delete value.model.sha256; // of a file with a version in it
        yield* figures(value, name);
    } else {
        yield [name, hex(bytes)];
    }
}

// Two doubles that differ: by how many units in the last place, at most. NaN: they are no doubles.
function distance(a, b) {
    const view = (text) => new BigInt64Array(Uint8Array.from(Buffer.from(text, 'hex')).buffer);
    if (!/^F64/.test(a) || a.length !== b.length) return NaN;
    const [x, y] = [a, b].map((text) => view(text.split(' ')[2]));
    return x.reduce((most, v, i) => Math.max(most, Number(v > y[i] ? v - y[i] : y[i] - v)), 0);
}

// The C library's exp, log, pow, sin and cos round otherwise where the processor has fused multiply-add, which
// WebAssembly has not: the native program does without it here.
const env = { ...process.env, GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable,-AVX512F' };

const listing = (folder) => new Map(readdirSync(folder).map((name) => [name, statSync(`${folder}/${name}`, { bigint: true })]));

// One line of tests/same-bits/commands in `folder`: the differences, and null if it cannot be compared.
export async function compare(line, folder) {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
    const to = words.indexOf('>'), from = words.indexOf('<');
    const target = to < 0 ? null : words.splice(to, 2)[1], input = from < 0 ? null : words.splice(from, 2)[1];
    const argv = [...words, ...(target ? [] : ['--json']), '-q', '--threads', '1'];
    const before = listing(folder), files = {};
    for (const name of before.keys())
        if (line.includes(name)) files[name] = new Uint8Array(readFileSync(`${folder}/${name}`));
    const run = spawnSync(`${top}build/halfspace`, argv, { cwd: folder, input: input ? files[input] : '', maxBuffer: 1 << 28, env });
    if (target) writeFileSync(`${folder}/${target}`, run.stdout);
    const read = [];
    for (const [name, now] of listing(folder)) {
        const then = before.get(name);
        if (name !== target && (!then || then.mtimeNs !== now.mtimeNs || then.ino !== now.ino)) read.push(name);
    }
    if (input || /without|no linear programming here/.test(run.stderr)) return null;
    const own = await core().run(argv, { files, read });
    const differ = [];
    const check = (name, native, web) => {
        const was = new Map(native), is = new Map(web);
        for (const place of new Set([...was.keys(), ...is.keys()]))
            if (was.get(place) !== is.get(place))
                differ.push({ place, native: was.get(place) ?? '', web: is.get(place) ?? '', units: distance(was.get(place) ?? '', is.get(place) ?? '') });
    };
    check('status', [['status', String(run.status)]], [['status', String(own.status)]]);
    if (run.status !== own.status) return Object.assign(differ, { stderr: own.stderr });
    const said = Buffer.from(own.stdout);
    if (run.stdout.length || said.length) check('report', contents(run.stdout, 'report'), contents(said, 'report'));
    for (const name of read)
        check(name, contents(readFileSync(`${folder}/${name}`), name), own.files[name] ? contents(own.files[name], name) : []);
    return differ;
}
