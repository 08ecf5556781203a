// Started by ci/strangers, which says what it takes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { in_parallel, kRoot } from '../../sound/peers.mjs';
import { is_interrupted, on_interruption, run } from '../../sound/processes.mjs';
import { page } from './page.mjs';

const kHere = join(kRoot, 'ci/interop/strangers');
const kFolder = join(kRoot, 'build/strangers');
const kInstallSeconds = 300;
const kCertifySeconds = 240;
// Newest first: a server is tested in the first that it speaks.
const kRevisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

function fail(words) {
  console.error(`ci/strangers: ${words}`);
  process.exit(2);
}

function parse([program, ...words]) {
  const asked = { assay: resolve(program ?? fail('which program? ci/strangers PROGRAM')), jobs: 2, names: [], is_recorded: false, drafts: false };
  while (words.length > 0) {
    const word = words.shift();
    if (word === '--record') asked.is_recorded = true;
    else if (word === '--draft') asked.drafts = true;
    else if (word === '--jobs') asked.jobs = Number(words.shift()) || fail('--jobs wants a number');
    else if (word === '--revision') asked.revision = words.shift() ?? fail('--revision wants one');
    else if (word.startsWith('--')) fail(`'${word}' is unknown; the first lines of ci/strangers say what there is`);
    else asked.names.push(word);
  }
  return asked;
}

// NAME, VERSION and what the command line has after the program; {folder} becomes a folder with a file in it.
function listed() {
  const lines = readFileSync(join(kHere, 'list.tsv'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [name, version, words = ''] = line.split('\t');
    const key = name.replace(/[@/]/g, '_');
    return { name, version, words: words.split(' ').filter(Boolean), folder: join(kFolder, key), report: (kind) => join(kFolder, `${key}.${kind}`) };
  });
}

async function install({ name, version, folder }) {
  const marker = join(folder, 'installed');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === version) return '';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  // No script of a stranger's runs at installation.
  const { status, said } = await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps',
    '--omit=dev', '--prefer-offline', '--loglevel=error', `${name}@${version}`], kInstallSeconds, { cwd: folder });
  if (status !== 0) return `npm could not install it: ${said.trim().split('\n').pop()}`;
  writeFileSync(marker, version);
  return '';
}

// The program that npx would start.
function program_of({ name, folder }) {
  const root = join(folder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (typeof bin === 'string') return join(root, bin);
  const own = name.split('/').pop();
  const key = Object.keys(bin).find((each) => each === own) ?? Object.keys(bin).find((each) => each.includes('mcp')) ?? Object.keys(bin)[0];
  return join(root, bin[key]);
}

// Where servers keep what is their own; an end of any kind removes it.
const homes = new Set();
function leave(home) {
  rmSync(home, { recursive: true, force: true });
  homes.delete(home);
}
process.on('exit', () => homes.forEach(leave));

const has_no_network = spawnSync('unshare', ['-rn', 'true']).status === 0;

async function certify(server, asked) {
  const trouble = await install(server);
  if (trouble) return trouble;
  const home = mkdtempSync(join(tmpdir(), 'strangers-'));
  homes.add(home);
  const files = join(home, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'a.txt'), 'A file\n');
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, NO_UPDATE_NOTIFIER: '1', LANG: 'C.UTF-8' };
  const command = ['--', ...(has_no_network ? ['unshare', '-rn'] : []), 'node', program_of(server),
    ...server.words.map((word) => word.replace('{folder}', files))];
  const test = (kind, revision, ...options) => run([asked.assay, 'server', '--project', 'none', '--quiet', '--color', 'never', '--tools', 'safe',
    '--revision', revision, '--max-time', String(kCertifySeconds), '--report', `json=${server.report(kind)}`, ...options, ...command],
  kCertifySeconds + 30, { cwd: home, env });
  try {
    for (const kind of ['json', 'drafted.json', 'profile.yaml']) rmSync(server.report(kind), { force: true });
    for (const revision of asked.revision ? [asked.revision] : kRevisions) {
      const { said } = await test('json', revision);
      const report = read(server.report('json'));
      if (!report) return said.trim();
      // What it broke before it offered another revision is no test of it.
      const { status, reason } = report.runs[0];
      if (status === 'unsupported' || /offered \S+ instead/.test(reason ?? '')) continue;
      if (!asked.drafts) return '';
      await run([asked.assay, 'profile', '--draft', '--tools', 'safe', '--file', server.report('profile.yaml'), ...command], 120, { cwd: home, env });
      if (existsSync(server.report('profile.yaml'))) await test('drafted.json', revision, '--profile', server.report('profile.yaml'));
      return '';
    }
    return 'it speaks none of the revisions';
  } finally {
    leave(home);
  }
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const asked = parse(process.argv.slice(2));
if (!existsSync(asked.assay)) fail(`there is no ${asked.assay}; 'ci/build release mcp-assay' makes it`);
const all = listed();
const unknown = asked.names.filter((name) => !all.some((each) => each.name === name));
if (unknown.length > 0) fail(`ci/interop/strangers/list.tsv does not name ${unknown.join(', ')}`);
const wanted = asked.names.length > 0 ? all.filter(({ name }) => asked.names.includes(name)) : all;
if (spawnSync('npm', ['ping', '--fetch-retries', '0', '--fetch-timeout', '20000']).status !== 0 &&
    !wanted.every(({ folder }) => existsSync(join(folder, 'installed')))) {
  console.error('ci/strangers: skipped, the npm registry cannot be reached');
  process.exit(77);
}
mkdirSync(kFolder, { recursive: true });
on_interruption(() => console.log('ci/strangers: stopped; what is done is in build/strangers/'));
let failures = 0;
await in_parallel(wanted, asked.jobs, async (server) => {
  const began = Date.now();
  const trouble = await certify(server, asked);
  if (is_interrupted()) return;
  if (trouble) ++failures;
  console.log(`${server.name} ${server.version}: ${trouble || `${((Date.now() - began) / 1000).toFixed(0)} s`}`);
}, () => !is_interrupted());
// After Ctrl-C nothing more is written: the end comes from there.
if (is_interrupted()) await new Promise(() => {});
const reports = all.map((server) => ({ server, report: read(server.report('json')), drafted: read(server.report('drafted.json')) }))
  .filter(({ report }) => report);
if (reports.length === 0) {
  console.error('ci/strangers: no server could be tested');
  process.exit(1);
}
const text = page(reports, all.length);
writeFileSync(join(kFolder, 'STRANGERS.md'), text);
if (asked.is_recorded) writeFileSync(resolve(kHere, '../STRANGERS.md'), text);
console.log(text.split('\n').slice(2, 6).join('\n'));
console.log(`${join(kFolder, 'STRANGERS.md')} has the tables`);
process.exit(failures > 0 ? 1 : 0);
