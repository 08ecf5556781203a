// Started by ci/mutants, which says what it takes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { in_parallel } from '../sound/peers.mjs';
import { is_interrupted, on_interruption } from '../sound/processes.mjs';
import { first_difference, record, unsteady_parts } from './conversation.mjs';
import { kBuild } from './packages.mjs';
import { candidates, executed, in_order, is_wanted } from './plan.mjs';
import { Scratch, version_of } from './scratch.mjs';
import { kSubjects } from './subjects.mjs';
import { key_of, mistakes_in, survivors, table } from './table.mjs';
import { certify, judged, steady, way_for } from './verdicts.mjs';

const kHere = dirname(fileURLToPath(import.meta.url));
// How often each original is certified: what changes from time to time shows nothing.
const kOriginals = { socket: 4, stdio: 2 };
const kFirstPatience = 60;  // seconds for an answer of an original, also on a busy machine

function fail(words) {
  console.error(`ci/mutants: ${words}`);
  process.exit(2);
}

function parse(words) {
  const read = {
    minutes: 60, seed: 1, jobs: 2, shard: [1, 1], only: undefined, count: Infinity, output: join(kBuild, 'result.json'), tables: [],
  };
  const next = () => words.shift() ?? fail('a value is missing');
  const number = (name) => {
    const value = Number(next());
    return value > 0 ? value : fail(`${name} wants a number above 0`);
  };
  const options = {
    '--minutes': () => { read.minutes = number('--minutes'); },
    '--count': () => { read.count = number('--count'); },
    '--seed': () => { read.seed = number('--seed'); },
    '--jobs': () => { read.jobs = number('--jobs'); },
    '--only': () => { read.only = next(); },
    '--output': () => { read.output = resolve(next()); },
    '--table': () => { read.tables = words.splice(0); },
    '--shard': () => {
      const [, part, parts] = /^(\d+)\/(\d+)$/.exec(next()) ?? fail('--shard wants I/N');
      read.shard = [Number(part), Number(parts)];
      if (read.shard[0] < 1 || read.shard[0] > read.shard[1]) fail('--shard I/N wants I from 1 to N');
    },
  };
  while (words.length > 0) {
    const word = words.shift();
    if (options[word]) options[word]();
    else if (read.assay === undefined && !word.startsWith('-')) read.assay = resolve(word);
    else fail(`'${word}' is unknown; the first lines of ci/mutants say what there is`);
  }
  if (read.assay === undefined && read.tables.length === 0) fail('which program? ci/mutants PROGRAM [OPTION...]');
  return read;
}

const read_json = (file) => JSON.parse(readFileSync(file));

function decisions() {
  const all = read_json(join(kHere, 'decisions.json'));
  const mistakes = mistakes_in(all);
  if (mistakes.length > 0) fail(`decisions.json: ${mistakes.join('; ')}`);
  return all;
}

function write_json(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 1)}\n`);
  renameSync(`${file}.new`, file);
}

function tell(results) {
  const known = decisions();
  console.log(`${survivors(results, known)}\n\n${table(results, known)}`);
}

// The original's verdicts, which do not change while the program and the packages are the same.
async function verdicts_of_original(assay, scratch, way) {
  const { size, mtimeMs } = statSync(assay);
  const made_of = JSON.stringify([size, mtimeMs, scratch.subject.name, version_of(scratch.subject), process.version, way]);
  const key = createHash('sha256').update(made_of).digest('hex').slice(0, 16);
  const file = join(kBuild, 'originals', `${scratch.subject.name}-${key}.json`);
  if (existsSync(file)) return read_json(file);
  const all = [];
  for (let i = 0; i < kOriginals[way]; ++i) {
    const verdicts = await certify(assay, scratch, way);
    if (is_interrupted()) return verdicts;
    if (verdicts?.status !== 0 && verdicts?.status !== 1) fail(`${scratch.subject.name} cannot be tested: ${verdicts?.said ?? 'it ended'}`);
    all.push(verdicts);
  }
  const verdicts = steady(all);
  write_json(file, verdicts);
  return verdicts;
}

// What a subject's mutants are compared with.
async function original_of(asked, subject) {
  const scratch = new Scratch(subject);
  scratches.push(scratch);
  const began = Date.now();
  const ranges = await executed(scratch, kFirstPatience);
  const first = await recorded(scratch, kFirstPatience);
  const second = await recorded(scratch, kFirstPatience);
  const seconds = Math.max(10, (Date.now() - began) / 1000);
  const found = candidates(subject, ranges).filter(({ operator }) => is_wanted(subject, operator, asked.only));
  console.log(`${subject.package} ${version_of(subject)}: ${first.replies.size} answers, ${found.length} places to change`);
  const made = new Map();
  const verdicts = (way) => {
    if (!made.has(way)) made.set(way, verdicts_of_original(asked.assay, scratch, way));
    return made.get(way);
  };
  await verdicts(way_for(subject));
  return { subject, recording: first, unsteady: unsteady_parts(first, second), seconds, found, verdicts };
}

function recorded(scratch, seconds) {
  const { place, words, env } = scratch.place();
  return record(words, scratch.subject.steps(place), { place, env, seconds });
}

// One mutant in a worker's scratch copy: its result, or undefined where the change makes no program.
async function tried(asked, mutant, original, scratch) {
  const { subject, print, start, end, ...about } = mutant;
  const text = print();
  if (text === undefined) return undefined;
  const source = scratch.source(mutant.file);
  scratch.put(mutant.file, text);
  try {
    const difference = async () => first_difference(original.recording, await recorded(scratch, original.seconds), original.unsteady);
    const first = await difference();
    // Chance makes no difference twice.
    const again = first && await difference();
    if (!again) return { ...about, outcome: 'same' };
    let way = way_for(subject, mutant.file);
    let verdicts = await certify(asked.assay, scratch, way);
    if (!verdicts) verdicts = await certify(asked.assay, scratch, way = 'stdio');
    return { ...about, difference: again, way, ...judged(await original.verdicts(way), verdicts) };
  } finally {
    scratch.put(mutant.file, source);
  }
}

const scratches = [];
process.on('exit', () => scratches.forEach((scratch) => scratch.remove()));

async function play(asked) {
  const until = Date.now() + asked.minutes * 60000;
  const results = [];
  const keep = () => write_json(asked.output, { program: asked.assay, seed: asked.seed, shard: asked.shard.join('/'), mutants: results });
  on_interruption(() => {
    keep();
    tell(results);
  });
  const wanted = kSubjects.filter((subject) => asked.only === undefined || is_wanted(subject, asked.only.split('/')[1] ?? '', asked.only));
  if (wanted.length === 0) fail(`no package is like '${asked.only}'`);
  const originals = new Map();
  await in_parallel(wanted, asked.jobs, async (subject) => originals.set(subject, await original_of(asked, subject)));
  const plan = in_order([...originals.values()].flatMap(({ found }) => found), asked.seed, asked.shard);
  let differing = 0;
  // Each worker has a scratch copy of each package.
  const free = new Map(wanted.map((subject) => [subject, []]));
  await in_parallel(plan, asked.jobs, async (mutant) => {
    const scratch = free.get(mutant.subject).pop() ?? new Scratch(mutant.subject);
    if (!scratches.includes(scratch)) scratches.push(scratch);
    const result = await tried(asked, mutant, originals.get(mutant.subject), scratch);
    free.get(mutant.subject).push(scratch);
    if (is_interrupted() || result === undefined) return;
    results.push(result);
    if (result.outcome !== 'same') ++differing;
    keep();
    console.log(`${result.outcome.padEnd(8)} ${key_of(result)}  ${result.rules?.[0] ?? ''}`);
  }, () => !is_interrupted() && Date.now() < until && differing < asked.count);
  // Who interrupts is told of what was done by the handler.
  if (is_interrupted()) return new Promise(() => {});
  keep();
  tell(results);
}

const asked = parse(process.argv.slice(2));
if (asked.tables.length > 0) tell(asked.tables.flatMap((file) => read_json(file).mutants));
else await play(asked);
process.exit(0);
