/* Halfspace: the command and the checker, in the browser.
 *
 *     await Halfspace.start();
 *     await Halfspace.run(['train', 'svm', 'points.csv', '-o', 'm.hsp', '--json'],
 *                         {files: {'points.csv': text}, read: ['m.hsp'], onprogress});
 *         -> {status, stdout, stderr, files: {'m.hsp': Uint8Array}}
 *     await Halfspace.verify(['claim.json', 'points.csv'], {'claim.json': text, ...});
 *         -> likewise, of halfspace-verify
 *     await Halfspace.grid(model, {x0, x1, nx, y0, y1, ny});
 *         -> {classes: Int32Array, scores: [Float64Array, one per scorer]}
 *     Halfspace.cancel();
 *
 * Files are texts or Uint8Arrays. Each run has a fresh memory and a fresh folder with `files` in it;
 * of the files there at the end, those of `read` come back (none for a name that was not written).
 * `onprogress` gets {text, share}: share is 0 to 1, or null if the end is not known.
 * grid: nx * ny points, line by line; the first and the last of a line are x0 and x1, the first and
 * the last line y0 and y1. Further members: columns [0, 1] are the axes; `at` has the values of the
 * other columns (0). A class is an index into the model's classes, or -1 on the boundary.
 * cancel() ends what runs and what waits: their promises are rejected with an AbortError. The next
 * call starts at once, for the compiled programs are kept.
 *
 * This is a classic script, and the worker comes from a Blob: both work from file://. Where there is
 * no Worker (node), everything runs in the calling thread, and nothing can be cancelled. */
(function (root) {
'use strict';

/* ---- The worker. Its source is the text of this function. ---- */

function serve(scope, programs) {
    let modules = {}, drawing = null;
    const text = (bytes) => new TextDecoder().decode(bytes);

    function instance(name, settings) {
        const instantiateWasm = (imports, ready) => {
            const made = new WebAssembly.Instance(modules[name], imports);
            ready(made);
            return made.exports;
        };
        return programs[name]({ instantiateWasm, print() {}, printErr() {}, ...settings });
    }

    /* Standard error is a terminal here, so that the command draws its bar. Each drawing starts with a
     * return; it is complete, and reported, when the next one starts. The bars are not in the text. */
    function listen(FS, onprogress) {
        const bytes = [];
        let line = [], bar = false;
        const plain = (codes) => text(Uint8Array.from(codes)).replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
        function report() {
            const said = plain(line).trim(), share = /(\d+)%/.exec(said);
            if (said) onprogress({ text: said.replace(/ \[[#.]*\] */, ' '), share: share ? share[1] / 100 : null });
        }
        FS.streams[2].stream_ops = {
            ...FS.streams[2].stream_ops,
            write(stream, buffer, offset, length) {
                for (const code of buffer.subarray(offset, offset + length)) {
                    if (code === 13) {
                        if (bar) report();
                        line = [];
                        bar = true;
                    } else {
                        line.push(code);
                    }
                    if (code === 10) {
                        bytes.push(...line);
                        line = [];
                        bar = false;
                    }
                }
                return length;
            },
        };
        return () => plain(bytes.concat(line));
    }

    async function run({ program, argv, files, read }, onprogress) {
        const { FS, callMain } = await instance(program, {
            thisProgram: program === 'checker' ? 'halfspace-verify' : 'halfspace',
            preRun: [({ ENV }) => ENV && Object.assign(ENV, { TERM: 'xterm', NO_COLOR: '1' })],
        });
        const said = listen(FS, onprogress);
        let status;
        FS.mkdir('/work');
        FS.chdir('/work');
        FS.close(FS.streams[1]);
        FS.open('/out', 'w'); /* the lowest free number: standard output */
        for (const [name, content] of Object.entries(files)) FS.writeFile(name, content);
        try {
            status = callMain(argv);
        } catch (error) {
            if (typeof error.status !== 'number') throw error;
            status = error.status;
        }
        const found = {};
        for (const name of read)
            if (FS.analyzePath(name).exists) found[name] = FS.readFile(name);
        return { status, stdout: text(FS.readFile('/out')), stderr: said(), files: found };
    }

    async function grid({ model, x0, x1, nx, y0, y1, ny, columns = [0, 1], at = [] }) {
        drawing = drawing || await instance('command', {});
        const { FS, _malloc, _free, _web_grid_new, _web_grid_free } = drawing;
        const count = nx * ny, space = _malloc(48 + 8 * at.length + 16);
        FS.writeFile('/grid.hsp', model);
        drawing.HEAPF64.set([x0, x1, y0, y1], space / 8);
        drawing.HEAPU32.set([nx, ny, ...columns], space / 4 + 8);
        drawing.HEAPF64.set(at, space / 8 + 6);
        drawing.HEAPU8.set(new TextEncoder().encode('/grid.hsp\0'), space + 48 + 8 * at.length);
        const made = _web_grid_new(space + 48 + 8 * at.length, space, space + 48, at.length);
        _free(space);
        if (!made) throw new Error('out of memory');
        const [scorers, classes, scores] = drawing.HEAPU32.subarray(made / 4, made / 4 + 3);
        if (!scorers) {
            const end = drawing.HEAPU8.indexOf(0, made + 12);
            const error = text(drawing.HEAPU8.slice(made + 12, end)).replace(/^\/grid.hsp: /, '');
            _web_grid_free(made);
            throw new Error(error);
        }
        const all = drawing.HEAPF64.subarray(scores / 8, scores / 8 + count * scorers);
        const result = {
            classes: drawing.HEAP32.slice(classes / 4, classes / 4 + count),
            scores: Array.from({ length: scorers }, (_, s) => {
                const own = new Float64Array(count);
                for (let i = 0; i < count; i++) own[i] = all[i * scorers + s];
                return own;
            }),
        };
        _web_grid_free(made);
        return result;
    }

    let before = Promise.resolve(); /* one request at a time */
    async function answer({ id, kind, ...request }) {
        try {
            const onprogress = (progress) => scope.postMessage({ id, progress });
            const result = kind === 'grid' ? await grid(request) : await run(request, onprogress);
            scope.postMessage({ id, result });
        } catch (error) {
            drawing = null;
            scope.postMessage({ id, error: String(error && error.message || error) });
        }
    }
    scope.onmessage = ({ data }) => {
        if (data.modules) modules = data.modules;
        else before = before.then(() => answer(data));
    };
}

/* ---- The page's side ---- */

let prepared = null, worker = null, number = 0;
const waiting = new Map();

async function unpack(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function prepare() {
    const modules = {};
    let source = '';
    for (const [name, part] of Object.entries(HalfspaceParts)) {
        modules[name] = await WebAssembly.compile(await unpack(part.wasm));
        source += new TextDecoder().decode(await unpack(part.script)) + '\n';
    }
    const names = Object.keys(modules).map((name) => `${name}: halfspace_${name}`);
    source += `(${serve})(scope, {${names.join(', ')}});\n`;
    return { modules, source };
}

/* What a worker is to the page, in the calling thread. */
function inThread(source) {
    const scope = { postMessage: (data) => receive({ data }) };
    new Function('scope', 'self', source)(scope, { location: { href: '' } });
    return { postMessage: (data) => scope.onmessage({ data }), terminate() {} };
}

function inWorker(source) {
    const url = URL.createObjectURL(new Blob([`const scope = self;\n${source}`], { type: 'text/javascript' }));
    const made = new Worker(url);
    made.onmessage = receive;
    made.onerror = (event) => fail(new Error(event.message || 'the worker failed'));
    return made;
}

function receive({ data: { id, progress, result, error } }) {
    const request = waiting.get(id);
    if (!request) return;
    if (progress) {
        if (request.onprogress) request.onprogress(progress);
        return;
    }
    waiting.delete(id);
    if (error === undefined) request.resolve(result);
    else request.reject(new Error(error));
}

/* Everything that waits ends with this error, and the worker with it. */
function fail(error) {
    if (worker) worker.terminate();
    worker = null;
    const ended = [...waiting.values()];
    waiting.clear();
    for (const request of ended) request.reject(error);
}

async function start() {
    prepared = prepared || prepare();
    const { modules, source } = await prepared;
    if (worker) return;
    worker = typeof Worker === 'undefined' ? inThread(source) : inWorker(source);
    worker.postMessage({ modules });
}

let cancelled = 0;
async function ask(request, onprogress) {
    const turn = cancelled;
    await start();
    if (turn !== cancelled) throw new DOMException('cancelled', 'AbortError');
    return new Promise((resolve, reject) => {
        const id = ++number;
        waiting.set(id, { resolve, reject, onprogress });
        worker.postMessage({ id, ...request });
    });
}

root.Halfspace = {
    start,
    run(argv, { files = {}, read = [], onprogress } = {}) {
        return ask({ kind: 'run', program: 'command', argv, files, read }, onprogress);
    },
    verify(argv, files = {}) {
        return ask({ kind: 'run', program: 'checker', argv, files, read: [] });
    },
    grid(model, settings) {
        return ask({ kind: 'grid', model, ...settings });
    },
    cancel() {
        cancelled++;
        fail(new DOMException('cancelled', 'AbortError'));
    },
};
})(globalThis);
