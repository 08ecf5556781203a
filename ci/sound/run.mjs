// Started by ci/sound-peers, which says what it takes.
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { certify, collection, flips, inconclusive_share, in_parallel, jobs, kRoot, label, matches, reference, shuffled, violations }
  from './peers.mjs';
import { is_interrupted, on_interruption } from './processes.mjs';

// Seconds of --quick: no further certification begins after the first, and none goes on after the second.
const kLastBegin = 40;
const kLastEnd = 50;

function fail(words) {
  console.error(`ci/sound-peers: ${words}`);
  process.exit(2);
}

// "3", "3,5" or "1-30"
function seeds_of(text) {
  return text.split(',').flatMap((part) => {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part) ?? fail(`'${part}' is no seed`);
    const first = Number(range[1]);
    return Array.from({ length: Number(range[2] ?? first) - first + 1 }, (_, i) => first + i);
  });
}

function parse([program, ...words]) {
  const read = {
    assay: resolve(program ?? fail('which program? ci/sound-peers PROGRAM [servers|clients]')), seats: [], only: undefined,
    revisions: [], transports: [], jobs: undefined, is_quick: false, seeds: [undefined],
    has_baseline: false, is_reference: false,
  };
  const next = () => words.shift() ?? fail('a value is missing');
  const options = {
    servers: () => read.seats.push('server'),
    clients: () => read.seats.push('client'),
    '--only': () => { read.only = next(); },
    '--revision': () => read.revisions.push(next()),
    '--transport': () => read.transports.push(next()),
    '--jobs': () => { read.jobs = Number(next()) || fail('--jobs wants a number'); },
    '--quick': () => { read.is_quick = true; },
    '--seed': () => { read.seeds = seeds_of(next()); },
    '--baseline': () => { read.has_baseline = true; },
    '--reference': () => { read.is_reference = true; },
  };
  while (words.length > 0) {
    const word = words.shift();
    (options[word] ?? (() => fail(`'${word}' is unknown; the first lines of ci/sound-peers say what there is`)))();
  }
  if (read.seats.length === 0) read.seats = ['server', 'client'];
  read.jobs ??= read.is_quick ? 3 * availableParallelism() : Math.max(2, availableParallelism());
  return read;
}

// Each entry once before any comes twice, so that an early end leaves a spread.
function spread(all) {
  const turns = new Map();
  return shuffled(all, 1).map((job) => {
    const turn = turns.get(job.entry.name) ?? 0;
    turns.set(job.entry.name, turn + 1);
    return { job, turn };
  }).sort((a, b) => a.turn - b.turn).map(({ job }) => job);
}

function planned(asked) {
  const entries = asked.seats.flatMap((seat) => (asked.is_reference ? [reference(seat, asked.assay)] : collection(seat)))
    .filter(({ name }) => !asked.only || matches(name, asked.only));
  const all = jobs(entries)
    .filter(({ revision }) => asked.revisions.length === 0 || asked.revisions.includes(revision))
    .filter(({ transport }) => asked.transports.length === 0 || asked.transports.includes(transport));
  return asked.is_quick ? spread(all) : all;
}

// What is wrong with a result, in lines.
function complaints(result, calm) {
  if (result.problem) return [`could not be tested: ${result.problem}`];
  const { musts, shoulds } = violations(result);
  const flipped = calm ? flips(calm, result) : [];
  return [
    ...musts.concat(shoulds).map((each) => `violated ${each.level} ${each.requirement}: ${each.detail}`),
    ...flipped.map((each) => `${each.level} ${each.requirement} is ${each.outcome} with this seed alone`),
  ];
}

function tell(results, planned_count, seconds) {
  const count = (of) => results.filter(of).length;
  const of_rules = (which) => results.reduce((sum, each) => sum + violations(each)[which].length, 0);
  console.log();
  for (const seat of ['server', 'client']) {
    const seen = results.filter(({ job }) => job.entry.seat === seat);
    if (seen.length === 0) continue;
    const names = new Set(seen.map(({ job }) => job.entry.name)).size;
    console.log(`${seat}s: ${names} peers in ${seen.length} certifications, ` +
        `${(100 * inconclusive_share(seen)).toFixed(1)} % inconclusive, ` +
        `${seen.reduce((sum, each) => sum + each.seconds, 0).toFixed(0)} s of certifying`);
  }
  const cut = count((each) => each.is_cut_short);
  console.log(`certified ${results.length} of ${planned_count}${cut > 0 ? ` (${cut} not to their end)` : ''}, not testable ${count(({ problem }) => problem)}, ` +
      `violated MUST ${of_rules('musts')}, violated SHOULD ${of_rules('shoulds')}, ${seconds.toFixed(0)} s`);
}

const asked = parse(process.argv.slice(2));
const began = Date.now();
const folder = join(kRoot, 'build/sound');
const plan = planned(asked).flatMap((job) => asked.seeds.map((seed) => ({ ...job, seed })));
if (plan.length === 0) fail('no peer is of that kind');
const results = [];
let wrong = 0;
const summary = () => tell(results, plan.length, (Date.now() - began) / 1000);
on_interruption(summary);

// Calm runs by job: the seeds of one share theirs.
const calm_runs = new Map();
function calm_run(job) {
  const calm = { ...job, seed: undefined };
  const name = `${job.entry.seat} ${label(calm)}`;
  if (!calm_runs.has(name)) calm_runs.set(name, certify(calm, { assay: asked.assay, folder }));
  return calm_runs.get(name);
}

await in_parallel(plan, asked.jobs, async (job) => {
  const calm = asked.has_baseline && job.seed !== undefined ? await calm_run(job) : undefined;
  const seconds = asked.is_quick ? kLastEnd - (Date.now() - began) / 1000 : undefined;
  const result = await certify(job, { assay: asked.assay, folder, seconds });
  if (is_interrupted()) return;
  results.push(result);
  const lines = complaints(result, calm);
  if (lines.length > 0) {
    ++wrong;
    console.log(`${job.entry.seat} ${label(job)} (${result.seconds.toFixed(0)} s, ${result.report ?? 'no report'})`);
    for (const line of lines) console.log(`    ${line}`);
  }
}, () => !is_interrupted() && (!asked.is_quick || Date.now() - began < kLastBegin * 1000));
summary();
process.exit(wrong > 0 ? 1 : 0);
