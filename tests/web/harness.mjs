// What the browser tests share. A file NAME.test.mjs calls test(name, function) for each of its tests.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

export const top = fileURLToPath(new URL('../../', import.meta.url));
export const playground = `${top}build/playground/`;
// The packages of package.json: require('axe-core'), require('html-validate').
export const require = createRequire(`${top}build/node/`);

export const tests = [];
export const test = (name, run) => tests.push({ name, run });

// A command of the native build; its standard output.
export const native = (argv, options = {}) =>
    execFileSync(`${top}build/${argv[0]}`, argv.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });

// The WebAssembly core in this process: the global Halfspace.
export function core() {
    if (!globalThis.Halfspace) vm.runInThisContext(readFileSync(`${playground}core.js`, 'utf8'));
    return globalThis.Halfspace;
}

let browser = null;
// A new page in Chromium; its `problems` are console errors, failed scripts and requests beyond the page.
export async function open(url, settings = {}) {
    browser = browser || await require('playwright-core').chromium.launch({
        executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
        args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
    });
    const page = await (await browser.newContext(settings)).newPage();
    page.problems = [];
    page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
    page.on('pageerror', (error) => page.problems.push(String(error)));
    page.on('request', (request) => /^(file|blob|data|about):/.test(request.url()) || page.problems.push(request.url()));
    await page.goto(url.includes('://') ? url : `file://${url}`);
    return page;
}
export const close = async () => browser && browser.close();
