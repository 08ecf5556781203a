// Started by ci/hostile, which says what it takes.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kMostMegabytes = 150;
const kLongest = 300_000;  // milliseconds of one run
const kHere = dirname(fileURLToPath(import.meta.url));
const kServer = join(kHere, 'server.mjs');
const kFolder = join(kHere, '../../build/hostile');

const [program, ...words] = process.argv.slice(2);
const said = await new Promise((resolve) => {
  let all = '';
  spawn(process.execPath, [kServer]).on('close', () => resolve(all)).stdout.on('data', (chunk) => { all += chunk; });
});
const traits = words.length > 0 ? words : said.trim().split('\n');

// The most that the process itself held, in MB; it is asked while it lives.
function peak_of(pid) {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function certify(trait, transport, target, revision) {
  const name = join(kFolder, `${trait}-${transport}-${revision}`);
  const reports = ['json', 'html', 'junit', 'sarif', 'markdown'].flatMap((format) => ['--report', `${format}=${name}.${format}`]);
  const child = spawn(program, ['server', '--revision', revision, '--tools', 'all', '--timeout', '10', ...reports, ...target],
      { stdio: ['ignore', 'pipe', 'pipe'] });
  let peak = 0;
  let written = 0;
  let last = '';
  child.stdout.on('data', (chunk) => { written += chunk.length; });
  child.stderr.on('data', (chunk) => { last = `${last}${chunk}`.slice(-300); });
  const look = setInterval(() => { peak = Math.max(peak, peak_of(child.pid)); }, 20);
  const over = setTimeout(() => child.kill('SIGKILL'), kLongest);
  const began = Date.now();
  return new Promise((resolve) => child.on('close', (status, signal) => {
    clearInterval(look);
    clearTimeout(over);
    resolve({ status, signal, peak, written, last, seconds: (Date.now() - began) / 1000 });
  }));
}

function started(trait) {
  const child = spawn(process.execPath, [kServer, trait, '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (line) => resolve({ child, port: /\d+/.exec(line)[0] }));
  });
}

async function play(trait, transport, revision) {
  if (transport === 'stdio') return certify(trait, transport, ['--', process.execPath, kServer, trait], revision);
  const { child, port } = await started(trait);
  try {
    return await certify(trait, transport, ['--url', `http://127.0.0.1:${port}/mcp`], revision);
  } finally {
    child.kill('SIGKILL');
  }
}

rmSync(kFolder, { recursive: true, force: true });
mkdirSync(kFolder, { recursive: true });
let failed = 0;
console.log('trait               transport  revision    peak MB  seconds  exit');
for (const [transport, revision] of [['stdio', '2025-11-25'], ['http', '2026-07-28'], ['http', '2025-11-25']]) {
  for (const trait of traits) {
    if (trait === 'stderr' && transport === 'http') continue;
    const { status, signal, peak, seconds, last } = await play(trait, transport, revision);
    const is_bad = peak > kMostMegabytes || ![0, 1, 3].includes(status);
    if (is_bad) ++failed;
    console.log(`${trait.padEnd(20)}${transport.padEnd(11)}${revision}  ${peak.toFixed(0).padStart(7)}  ${seconds.toFixed(1).padStart(7)}  ` +
        `${status ?? signal}${is_bad ? `  WRONG ${last}` : ''}`);
  }
}
console.log(failed === 0 ? `all stayed below ${kMostMegabytes} MB` : `${failed} were above ${kMostMegabytes} MB, or did not end well`);
process.exit(failed === 0 ? 0 : 1);
