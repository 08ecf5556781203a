// Certifies the official TypeScript client in a page in Chromium, and shows that without --cors it
// cannot be: node web_client_test.mjs MCP-ASSAY CHROMIUM
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createServer} from 'node:http';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {chromium} from 'playwright-core';

const [program, executablePath] = process.argv.slice(2);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const bundle = await build({
  entryPoints: [here('page.mjs')], bundle: true, write: false, format: 'esm', platform: 'browser',
  logLevel: 'error',
});
const script = bundle.outputFiles[0].text;
const pages = createServer((request, response) => {
  const is_script = request.url === '/page.js';
  response.setHeader('Content-Type', is_script ? 'text/javascript' : 'text/html');
  response.end(is_script ? script : '<!doctype html><script type="module" src="/page.js"></script>');
});
await new Promise((ready) => pages.listen(0, '127.0.0.1', ready));
const origin = `http://127.0.0.1:${pages.address().port}`;
const browser = await chromium.launchServer({executablePath, args: ['--no-sandbox']});

function certify(...options) {
  const words = ['client', '--revision', '2025-11-25', '--scenario', 'initialize', '--scenario',
                 'tools_call', '--color', 'never', ...options, '--', process.execPath,
                 here('open-page.mjs'), browser.wsEndpoint(), origin];
  return new Promise((done) => {
    const child = spawn(program, words);
    let said = '';
    child.stdout.on('data', (text) => { said += text; });
    child.stderr.on('data', (text) => { said += text; });
    child.on('close', (status) => done({status, said}));
  });
}

try {
  const allowed = await certify('--cors', origin);
  assert.equal(allowed.status, 0, allowed.said);
  assert.match(allowed.said, /Conformant in 1 run;/);
  assert.match(allowed.said, /client web-client 1\.0\.0/);
  const refused = await certify();
  assert.equal(refused.status, 3, refused.said);
  const reason = refused.said.replace(/\s*\n\s*│\s*/g, ' '); // it may be folded anywhere
  assert.match(reason, /a preflight/);
  assert.match(reason, /use --cors/);
} finally {
  await browser.close();
  pages.close();
}
console.log('a page in Chromium was certified');
