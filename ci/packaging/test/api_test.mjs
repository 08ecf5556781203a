// The API of the npm package, as ci/package-test installs it, beside the server of ci/packaging: without any other package.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import test from 'node:test';
import { AssayError, certify, certifyEvents, matchers } from 'mcp-assay';
import { expect } from 'mcp-assay/node-test';

const require = createRequire(import.meta.url);
const few = { revision: '2025-11-25', scenarios: 'ping*' };
const good = { command: 'node', args: ['server.js'], ...few };
const bad = { command: ['node', 'server.js', '--bad-ping'], ...few };

test('ES modules and CommonJS give the same', () => {
  assert.equal(certify, require('mcp-assay').certify);
  assert.equal(expect, require('mcp-assay/node-test').expect);
});

test('a conformant server', async () => {
  const result = await certify(good);
  assert.equal(result.conformant, true);
  assert.equal(result.exitStatus, 0);
  assert.equal(result.report.target.name, 'small');
  await expect(good).toConform();
  assert.match((await matchers.toConform(good)).message(), /should not/);
});

test('a failure has the rule, the bytes and the fix', async () => {
  const { failures, exitStatus } = await certify(bad);
  assert.equal(exitStatus, 1);
  assert.deepEqual(failures.map(({ requirement, runs }) => [requirement, runs]), [['ping.empty-result', ['2025-11-25 stdio']]]);
  await assert.rejects(expect(bad).toConform(), ({ name, message }) => {
    assert.equal(name, 'AssertionError');
    for (const part of ['ping.empty-result', 'The result of a ping is an empty object', 'Answer ping with "result": {}', '{"pong":true}', '^^^^']) {
      assert.ok(message.includes(part), `no ${part} in ${message}`);
    }
    return true;
  });
  await expect(bad).not.toConform();
});

test('events come one by one, the report last', async () => {
  const seen = [];
  await certify({ ...good, onEvent: (event) => seen.push(event.event) });
  assert.equal(seen[0], 'started');
  assert.ok(seen.includes('scenario') && seen.includes('verdict'));
  assert.equal(seen.at(-1), 'finished');
});

const isAlive = (id) => {
  try {
    return process.kill(Number(id), 0);
  } catch {
    return false;
  }
};

test('leaving the loop stops the program and its server', async () => {
  const note = join(mkdtempSync(join(tmpdir(), 'api-')), 'id');
  const script = `require('fs').writeFileSync(${JSON.stringify(note)}, String(process.pid)); require('./server.js')`;
  for await (const { event } of certifyEvents({ ...good, command: 'node', args: ['-e', script], scenarios: '*' })) {
    if (event === 'scenario') break;
  }
  assert.equal(isAlive(readFileSync(note, 'utf8')), false);
});

test('a signal aborts the run', async () => {
  const controller = new AbortController();
  const run = certify({ ...good, scenarios: '*', signal: controller.signal, onEvent: () => controller.abort(new Error('enough')) });
  await assert.rejects(run, { message: 'enough' });
  await assert.rejects(certify({ ...good, signal: controller.signal }), { message: 'enough' });
});

test('a server that does not start is a result, and a wrong option is none', async () => {
  const result = await certify({ command: ['node', '-e', 'process.exit(7)'], ...few });
  assert.equal(result.exitStatus, 3);
  assert.match(result.text, /exit status 7/);
  await assert.rejects(certify({ command: 'node', revision: '1999-01-01' }), (error) => error instanceof AssayError && /1999-01-01/.test(error.message));
  await assert.rejects(certify({ comand: 'node' }), { name: 'AssayError', message: 'certify has no option comand' });
  await assert.rejects(certify({ command: 'node', program: '/no/such/program' }), { name: 'AssayError' });
  await assert.rejects(certify(null), { name: 'AssayError', message: /takes an object/ });
  await assert.rejects(certify({ command: 5 }), { name: 'AssayError', message: /command takes a text/ });
  await assert.rejects(certify({ ...good, cwd: '/no/such' }), { name: 'AssayError', message: 'there is no folder /no/such' });
  // A text is one word, not a list of letters.
  assert.deepEqual((await certify({ ...good, args: 'server.js' })).failures, []);
});

test('what could not be tested does neither conform nor not', async () => {
  const missing = { command: 'no-such-command', ...few };
  await assert.rejects(expect(missing).toConform(), { name: 'AssayError', message: /could not be tested[^]*command not found/ });
  await assert.rejects(expect(missing).not.toConform(), { name: 'AssayError', status: 3 });
});

// As a server of the SDK is used: connect() takes a transport.
function makeServer(answer) {
  let transport;
  return {
    async connect(given) {
      transport = given;
      transport.onmessage = async (message) => {
        const reply = answer(message);
        if (reply) await transport.send(reply);
      };
      await transport.start();
    },
    async close() { await transport.close(); },
  };
}

test('a server in this process is certified over its transport', async () => {
  const { respond } = require('./server.js');
  const result = await certify({ server: () => makeServer((message) => respond(JSON.stringify(message))), ...few });
  assert.equal(result.text.includes('conformant'), true);
  assert.deepEqual(result.failures, []);
  assert.equal(result.report.runs[0].verdicts.find(({ requirement }) => requirement === 'ping.answered').outcome, 'satisfied');
  await assert.rejects(certify({ server: () => { throw new Error('no database'); }, ...few }), { message: 'no database' });
  await assert.rejects(certify({ server: makeServer(() => null), ...few }), { message: /a function that makes one/ });
  await assert.rejects(certify({ server: () => ({}), ...few }), { name: 'AssayError' });
});

// Another platform, without a package of its program.
function elsewhere(platform, words, environment = {}) {
  const pretend = `Object.defineProperty(process, 'platform', { value: '${platform}' })`;
  const folder = mkdtempSync(join(tmpdir(), 'api-'));
  writeFileSync(join(folder, 'pretend.cjs'), pretend);
  const script = require.resolve('mcp-assay/package.json').replace('package.json', 'mcp-assay.js');
  return spawnSync(process.execPath, ['-r', join(folder, 'pretend.cjs'), script, ...words], {
    encoding: 'utf8', env: { ...process.env, MCP_ASSAY_IMAGE: '', ...environment },
  });
}

test('other platforms say what they need, and run the image where it is named', () => {
  const { status, stderr } = elsewhere('darwin', ['--version']);
  assert.equal(status, 2);
  assert.match(stderr, /for Linux \(x86-64, arm64\) and WSL; elsewhere, name its container image in MCP_ASSAY_IMAGE/);
  assert.equal(stderr.trim().split('\n').length, 1);

  const folder = mkdtempSync(join(tmpdir(), 'api-'));
  const none = elsewhere('win32', ['--version'], { MCP_ASSAY_IMAGE: 'image', PATH: folder });
  assert.match(none.stderr, /neither Docker nor Podman/);
  // An engine that runs what comes after the image.
  const log = join(folder, 'said');
  writeFileSync(join(folder, 'podman'), `#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$@" >${log}
while [ "$1" != image:1 ]; do shift; done
shift
exec ${join(process.cwd(), 'node_modules/.bin/mcp-assay')} "$@"
`, { mode: 0o755 });
  const environment = { MCP_ASSAY_IMAGE: 'image:1', PATH: [folder, join(process.execPath, '..')].join(delimiter) };
  const ran = elsewhere('win32', ['explain', 'no-such-rule'], environment);
  assert.equal(ran.status, 2, ran.stderr);
  assert.match(readFileSync(log, 'utf8'), /^run --rm --interactive --network host --volume .*:\/work --workdir \/work --env MCP_ASSAY_IMAGE image:1 explain/);
});

test('the package has neither dependencies nor scripts', () => {
  const { dependencies, peerDependencies, scripts } = require('mcp-assay/package.json');
  assert.deepEqual([dependencies, peerDependencies, scripts], [undefined, undefined, undefined]);
  assert.equal(existsSync(join(process.cwd(), 'node_modules/mcp-assay/node_modules')), false);
});
