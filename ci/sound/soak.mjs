// Started by ci/soak, which says what it takes.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { in_parallel, inconclusive_share, kRoot, matches, shuffled } from './peers.mjs';
import { kParts, needs } from './parts.mjs';
import { is_interrupted, on_interruption, stop_all } from './processes.mjs';

const kFolder = join(kRoot, 'build/soak');
const kSummary = join(kFolder, 'summary.json');

function fail(words) {
  console.error(`ci/soak: ${words}`);
  process.exit(2);
}

function parse(words) {
  const read = {
    parts: [], minutes: Infinity, order: 1, only: '*', is_continued: false, jobs: Math.max(2, availableParallelism()),
    assay: join(kRoot, 'build/release/bin/mcp-assay'),
  };
  const number = () => Number(words.shift()) || fail('a number above 0 is missing');
  while (words.length > 0) {
    const word = words.shift();
    if (word in kParts) read.parts.push(word);
    else if (word === '--minutes') read.minutes = number();
    else if (word === '--order') read.order = number();
    else if (word === '--jobs') read.jobs = number();
    else if (word === '--continue') read.is_continued = true;
    else if (word === '--only') read.only = words.shift() ?? fail('--only wants a pattern');
    else if (word === '--program') read.assay = resolve(words.shift() ?? fail('--program wants a path'));
    else fail(`'${word}' is unknown; the parts are ${Object.keys(kParts).join(', ')}`);
  }
  if (read.parts.length === 0) read.parts = Object.keys(kParts);
  return read;
}

const asked = parse(process.argv.slice(2));
const missing = needs(asked.parts, asked.assay);
if (missing) fail(missing);
const began = Date.now();
const minutes_since = (then) => (Date.now() - then) / 60000;
mkdirSync(kFolder, { recursive: true });
const parts = [];

// What earlier runs did, if this one continues them.
const earlier = asked.is_continued && existsSync(kSummary) ? JSON.parse(readFileSync(kSummary, 'utf8')).parts : [];
const earlier_part = (name) => ({ done: [], wrong: [], open: [], minutes: 0, ...earlier.find(({ part }) => part === name) });

// What is said of an item goes to the terminal where something is wrong, and always to the part's file.
function note(part, item, { complaints, results, gave_up }, seconds) {
  const shares = results.map((each) => `${(100 * inconclusive_share([each])).toFixed(1)} % inconclusive`).join(', ');
  const line = `${complaints.length > 0 ? 'WRONG' : gave_up ? 'open ' : 'well '} ${item.name} (${seconds.toFixed(0)} s${shares && `, ${shares}`})`;
  const lines = [line, ...complaints.concat(gave_up ?? []).map((each) => `    ${each}`)].join('\n');
  appendFileSync(part.file, `${lines}\n`);
  if (complaints.length > 0) console.log(`${part.name}: ${lines}`);
  if (!gave_up) part.covered.push(item.name);
  part.results.push(...results);
  if (complaints.length > 0) part.wrong.push({ name: item.name, complaints });
  if (gave_up) part.open.push(item.name);
}

// The file says what was covered and what not, the terminal how much of it.
function tell() {
  const summary = parts.map(({ name, planned, before, covered, wrong, open, results, minutes }) => {
    const done = [...before.done, ...covered];
    return {
      part: name, planned: planned.length, covered: done.length,
      wrong: [...before.wrong, ...wrong], open: [...before.open, ...open], minutes: Number((before.minutes + minutes()).toFixed(1)),
      // Of this run alone.
      inconclusive: Number(inconclusive_share(results).toFixed(4)),
      not_covered: planned.filter((each) => !done.includes(each)), done,
    };
  });
  const others = earlier.filter(({ part }) => !asked.parts.includes(part));
  writeFileSync(kSummary, `${JSON.stringify({ order: asked.order, minutes: minutes_since(began), parts: [...others, ...summary] },
      null, 2)}\n`);
  console.log('\npart       covered          wrong  gave up  inconclusive  minutes');
  for (const each of summary) {
    console.log(`${each.part.padEnd(10)} ${`${each.covered} of ${each.planned}`.padEnd(16)} ${String(each.wrong.length).padStart(5)}  ${String(each.open.length).padStart(7)}  ` +
        `${`${(100 * each.inconclusive).toFixed(1)} %`.padStart(12)}  ${each.minutes.toFixed(1).padStart(7)}`);
  }
  console.log(`${kFolder}/summary.json lists what was wrong, and what was not covered`);
}

// play(PART, MINUTES): what of it can be begun in that time. What runs then may end; a long one is ended.
async function play(part, minutes) {
  const end = Date.now() + minutes * 60000;
  part.began = Date.now();
  part.minutes = () => ((part.ended ?? Date.now()) - part.began) / 60000;
  let is_over = false;
  const alone = part.items.some((each) => each.is_alone);
  const timer = Number.isFinite(minutes) && alone
      ? setTimeout(() => { is_over = true; stop_all(); }, minutes * 60000) : undefined;
  await in_parallel(part.items, alone ? 1 : asked.jobs, async (item) => {
    const since = Date.now();
    const played = await item.play();
    if (!is_over && !is_interrupted()) note(part, item, played, (Date.now() - since) / 1000);
  }, () => !is_over && !is_interrupted() && Date.now() < end);
  clearTimeout(timer);
  part.ended = Date.now();
}

for (const name of asked.parts) {
  const file = join(kFolder, `${name}.txt`);
  const before = earlier_part(name);
  if (!asked.is_continued) rmSync(file, { force: true });
  try {
    const all = kParts[name]({ assay: asked.assay, folder: join(kFolder, 'reports', name) });
    const chosen = all.filter((item) => matches(item.name, asked.only));
    // A run that is continued is one of the whole part, of which this one may take some.
    const planned = (asked.is_continued ? all : chosen).map((item) => item.name);
    // What is gone since, such as a peer, was covered in vain.
    before.done = before.done.filter((each) => planned.includes(each));
    const items = chosen.filter((item) => !before.done.includes(item.name));
    parts.push({ name, file, before, planned, items: shuffled(items, asked.order), covered: [], wrong: [], open: [], results: [], minutes: () => 0 });
  } catch (error) {
    fail(`${name}: ${error.message}`);
  }
}
on_interruption(tell);
// Each part has its share of the time, and what earlier ones left.
for (const [at, part] of parts.entries()) {
  const left = asked.minutes - minutes_since(began);
  if (left <= 0) break;
  await play(part, left / (parts.length - at));
}
tell();
process.exit(parts.some(({ before, wrong }) => before.wrong.length + wrong.length > 0) ? 1 : 0);
