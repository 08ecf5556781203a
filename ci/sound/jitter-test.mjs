// Shows of scenarios/sound/jitter.mjs that it changes no byte, that one seed makes one choice, and that it ends as its peer does.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kRoot } from './peers.mjs';

const kJitter = join(kRoot, 'scenarios/sound/jitter.mjs');
const work = mkdtempSync(join(tmpdir(), 'jitter-'));
const bytes = Buffer.from(Array.from({ length: 40000 }, (_, i) => (i * i + (i >> 8)) % 256));

const jitter = (...words) => spawn(process.execPath, [kJitter, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });

// All that comes, without closing what can still be written to.
function all_of(stream) {
  const pieces = [];
  return new Promise((resolve, reject) => {
    stream.on('data', (data) => pieces.push(data)).on('end', () => resolve(Buffer.concat(pieces))).on('error', reject);
  });
}

// The bytes through a peer that gives them back; and the decisions.
async function through(seed, name) {
  const log = join(work, name);
  const child = jitter('--seed', seed, '--log', log, '--', 'cat');
  child.stdin.end(bytes);
  assert.ok((await all_of(child.stdout)).equals(bytes), `seed ${seed} changed what passed`);
  return readFileSync(log, 'utf8').trim().split('\n');
}

// The clock decides how many decisions a lane needs, and nothing else.
function same_start(lines, others, lane) {
  const [first, second] = [lines, others].map((all) => all.filter((line) => line.startsWith(`${lane} `)));
  const length = Math.min(first.length, second.length);
  assert.deepStrictEqual(first.slice(0, length), second.slice(0, length));
  return first[0];
}

async function keeps_bytes_and_decisions() {
  const begins = new Set();
  for (const seed of ['1', '2', '3']) {
    const [first, again] = [await through(seed, `${seed}-a`), await through(seed, `${seed}-b`)];
    begins.add(same_start(first, again, 'in')).add(same_start(first, again, 'out'));
  }
  assert.strictEqual(begins.size, 6, 'lanes and seeds make choices of their own');
}

async function ends_as_the_peer() {
  const status = async (script) => once(jitter('--seed', '4', '--', 'sh', '-c', script), 'exit');
  assert.deepStrictEqual(await status('exit 5'), [5, null]);
  assert.deepStrictEqual(await status('kill -KILL $$'), [null, 'SIGKILL']);
  const child = jitter('--seed', '4', '--', 'sh', '-c', 'trap "exit 3" TERM; echo up; while :; do read -r line; done');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  child.stdin.write('go on\n');
  assert.deepStrictEqual(await once(child, 'exit'), [3, null]);
}

// A server that answers when the request has ended by a half-closed connection, and one that resets it.
async function passes_connections() {
  const server = net.createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {});
    const request = await all_of(socket);
    if (request.length < 10) return socket.resetAndDestroy();
    socket.end(request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = jitter('--seed', '5', '--upstream', `http://127.0.0.1:${server.address().port}/mcp`);
  const [line] = await once(proxy.stdout, 'data');
  const { port } = new URL(/http:\S+/.exec(line)[0]);
  const ask = (what) => all_of(net.connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).end(what));
  const answers = await Promise.all([ask(bytes), ask(bytes.subarray(100)), ask(bytes)]);
  assert.ok(answers[0].equals(bytes) && answers[1].equals(bytes.subarray(100)) && answers[2].equals(bytes));
  await assert.rejects(ask('short'), { code: 'ECONNRESET' });
  proxy.kill();
  server.close();
}

try {
  await keeps_bytes_and_decisions();
  await ends_as_the_peer();
  await passes_connections();
  console.log('all is well');
} finally {
  rmSync(work, { recursive: true });
}
