// The sound peers of scenarios/sound/, and how one of them is certified: in one revision, over one transport, with or without the
// proxy that spoils timing.
import { mkdirSync, readFileSync, existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { first_match, run, start, stop } from './processes.mjs';

export const kRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const kSound = resolve(process.env.SOUND_PEERS ?? join(kRoot, 'scenarios/sound'));
const kJitter = join(kRoot, 'scenarios/sound/jitter.mjs');
const kRevisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const kMaxTime = 600;  // seconds for one certification, where no other limit is given

// collection(SEAT): the entries of servers.json or clients.json; none where the file is missing.
export function collection(seat) {
  const file = join(kSound, `${seat}s.json`);
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file)).map((entry) => ({ ...entry, seat }));
}

// The peers that the program brings, as entries: what the collection shows of peers of others, they show of ours.
export function reference(seat, assay, faults = []) {
  const words = faults.flatMap((fault) => ['--fault', fault]);
  return {
    seat, name: ['reference', ...faults].join('+'), revisions: kRevisions, transports: ['stdio', 'http'],
    command: seat === 'server'
        ? (transport) => [assay, 'reference-server', '--transport', transport, ...words]
        : (transport, server) => [assay, 'reference-client', ...words,
            ...(transport === 'stdio' ? ['--', ...server] : ['--login-without-browser'])],
    // It has no document of its own on the web.
    shoulds: seat === 'client' ? ['authorization.client-id-documents-client'] : [],
  };
}

// jobs(ENTRIES): each entry in each revision over each transport.
export function jobs(entries) {
  return entries.flatMap((entry) => entry.revisions.flatMap((revision) => entry.transports.map(
      (transport) => ({ entry, revision, transport }))));
}

export function label({ entry, revision, transport, seed }) {
  return `${entry.name} ${revision} ${transport}${seed === undefined ? '' : ` seed ${seed}`}`;
}

const node_or_python = (file) => (file.endsWith('.py') ? ['python3', '-B'] : [process.execPath]);

// The peer's own command. `server` is what a client over stdio starts.
function command({ entry, transport }, server) {
  if (entry.command) return entry.command(transport, server);
  const words = [...node_or_python(entry.program), join(kSound, entry.program), ...(entry.args ?? [])];
  if (entry.seat === 'server') return transport === 'stdio' ? words : [...words, `--${transport}`];
  // One word, a line for the shell: the suite quotes what it puts into a part of a word.
  return transport === 'stdio' ? [...words, '--server', `exec ${server.join(' ')}`] : words;
}

const jitter = (seed, ...words) => (seed === undefined ? [] : [process.execPath, kJitter, '--seed', String(seed), ...words]);

// Peers that the proxy hides from: they look at the port that a request names, which is the proxy's.
const kHidden = ['odd-http-strict', 'odd-http-strict-modern'];
export const may_meet_proxy = ({ entry }) => !kHidden.includes(entry.name);

// scenarios_of_clients(ASSAY, OWN): what a client can be taken through with a proxy in between, of its own scenarios if it has any.
// An authorization server names the server's URL, so who logs in through the proxy has to refuse: the URL is another one. A proxy cannot
// pass SIGKILL on, so a client over stdio that kills its server kills the proxy alone.
const kNotThroughProxy = ['server-lingers'];
let unprotected;
async function scenarios_of_clients(assay, own) {
  unprotected ??= run([assay, 'list', 'scenarios'], 60).then(({ said }) => said.split('\n')
      .filter((line, at, all) => /^\S/.test(line) && /^\s+of clients:/m.test(about(all, at)) && !line.startsWith('auth/'))
      .map((name) => name.trim())
      .filter((name) => !kNotThroughProxy.includes(name)));
  return (await unprotected).filter((name) => own.length === 0 || own.some((pattern) => matches(name, pattern)))
      .flatMap((name) => ['--scenario', name]);
}

// The scenarios among the options of an entry, as patterns, and the other options.
function split_scenarios(options) {
  const is_scenario = (at) => options[at] === '--scenario' || options[at - 1] === '--scenario';
  return { own: options.filter((word, at) => options[at - 1] === '--scenario'), rest: options.filter((word, at) => !is_scenario(at)) };
}

// The indented lines after line `at`.
function about(lines, at) {
  let end = at + 1;
  while (end < lines.length && /^\s/.test(lines[end])) ++end;
  return lines.slice(at + 1, end).join('\n');
}

// How the suite is started for a job; `url` is that of an HTTP server.
async function words_of(job, { assay, report, url, seconds }) {
  const { entry, revision, transport, seed } = job;
  const is_chosen = entry.seat !== 'server' && seed !== undefined;
  const options = entry.options ?? [];
  const { own, rest } = split_scenarios(options);
  const common = ['--quiet', '--color', 'never', '--revision', revision, '--max-time', String(seconds),
    '--report', `json=${report}`, ...(is_chosen ? rest : options), ...(job.options ?? [])];
  if (entry.seat === 'server') {
    const way = transport === 'sse' ? '--sse-url' : '--url';
    const target = url ? [way, url] : ['--', ...jitter(seed, '--'), ...command(job)];
    return [assay, 'server', '--project', 'none', ...common, ...target];
  }
  const scenarios = is_chosen ? await scenarios_of_clients(assay, own) : [];
  if (transport === 'stdio') {
    return [assay, 'client', '--stdio', ...common, ...scenarios, '--', ...command(job, [...jitter(seed, '--'), '{server}'])];
  }
  return [assay, 'client', ...common, ...scenarios, '--', ...jitter(seed, '--client', '--'), ...command(job)];
}

const kUrl = /http:\/\/[^\s]+\/(mcp|sse)\b/;

// Starts an HTTP server, and the proxy before it; sets `url`, or `problem`. All that it starts is in `started`.
async function serve(job, started) {
  const server = start(command(job));
  started.push(server);
  const url = await first_match(server, kUrl, 30);
  if (!url) return { problem: `did not say where it listens: ${server.said.slice(-500)}` };
  if (job.seed === undefined) return { url };
  const proxy = start(jitter(job.seed, '--upstream', url));
  started.push(proxy);
  const through = await first_match(proxy, kUrl, 30);
  return through ? { url: through } : { problem: `the proxy did not start: ${proxy.said.slice(-500)}` };
}

// certify(JOB, {assay, folder, seconds}): a job is an entry, revision, transport, and where the proxy is wanted, a seed. Returns
// its verdicts as a map of rules, and `problem` where there are none. What was cut short by `seconds` has no problem.
export async function certify(job, { assay, folder, seconds = kMaxTime }) {
  const began = Date.now();
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `${job.entry.seat} ${label(job)}`.replace(/[^\w.+-]+/g, '-') + '.json');
  rmSync(report, { force: true });
  const started = [];
  try {
    const place = job.entry.seat === 'server' && job.transport !== 'stdio' ? await serve(job, started) : {};
    if (place.problem) return result(job, began, { problem: place.problem });
    const words = await words_of(job, { assay, report, url: place.url, seconds });
    const { status, said } = await run(words, seconds + 60, { cwd: folder });
    const shown = { report, command: words };
    const is_cut_short = status === 130 && seconds < kMaxTime;
    // Who ends badly, or does next to nothing, is judged all the same, though the run does not count as a test.
    const is_known = status === 0 || status === 1 || (status === 3 && job.entry.may_be_untested === true);
    if ((!is_known && !is_cut_short) || !existsSync(report)) {
      return result(job, began, { ...shown, problem: `mcp-assay ended with ${status}: ${said.trim().slice(-500)}`, could_not_test: status === 3 });
    }
    const verdicts = new Map();
    for (const each of JSON.parse(readFileSync(report)).runs.flatMap((one) => one.verdicts)) {
      verdicts.set(each.requirement, each);
    }
    return result(job, began, { ...shown, verdicts, is_cut_short });
  } finally {
    await Promise.all(started.map(stop));
  }
}

function result(job, began, found) {
  return { job, verdicts: new Map(), seconds: (Date.now() - began) / 1000, ...found };
}

const is_must = ({ level }) => /^(MUST|SHALL|REQUIRED)/.test(level);
const is_should = ({ level }) => /^(SHOULD|RECOMMENDED|NOT RECOMMENDED)/.test(level);

// violations(RESULT): of MUSTs, and of SHOULDs that the entry does not list.
export function violations({ job, verdicts }) {
  const violated = [...verdicts.values()].filter((each) => each.outcome === 'violated');
  const listed = new Set(job.entry.shoulds ?? []);
  return {
    musts: violated.filter(is_must),
    shoulds: violated.filter((each) => is_should(each) && !listed.has(each.requirement)),
  };
}

// flips(CALM, RESULT): SHOULDs that are violated in RESULT and not in CALM, or that were and are satisfied now.
export function flips(calm, { verdicts }) {
  return [...verdicts.values()].filter((each) => {
    const before = calm.verdicts.get(each.requirement)?.outcome;
    if (!is_should(each) || before === undefined) return false;
    return each.outcome === 'violated' ? before !== 'violated' : each.outcome === 'satisfied' && before === 'violated';
  });
}

// Of the rules that something was provoked for, how many were left open.
export function inconclusive_share(results) {
  const outcomes = results.flatMap(({ verdicts }) => [...verdicts.values()].map((each) => each.outcome));
  const open = outcomes.filter((each) => each === 'inconclusive').length;
  const judged = outcomes.filter((each) => each === 'satisfied' || each === 'violated').length;
  return open + judged === 0 ? 0 : open / (open + judged);
}

// in_parallel(ITEMS, HOW_MANY, WORK): WORK on each item, at most HOW_MANY at once; `may_go_on` ends it early. Returns what is done.
export async function in_parallel(items, how_many, work, may_go_on = () => true) {
  const done = [];
  const left = [...items];
  const worker = async () => {
    while (left.length > 0 && may_go_on()) done.push(await work(left.shift()));
  };
  await Promise.all(Array.from({ length: how_many }, worker));
  return done;
}

// shuffled(ITEMS, SEED): the same order for the same seed.
export function shuffled(items, seed) {
  const all = [...items];
  let state = seed >>> 0;
  const draw = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
  for (let i = all.length - 1; i > 0; --i) {
    const j = draw(i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

// matches(NAME, GLOB): with * and ?.
export function matches(name, glob) {
  const pattern = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  return new RegExp(`^${pattern}$`).test(name);
}
