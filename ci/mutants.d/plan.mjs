// Which mutants are made, and in which order.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matches, shuffled } from '../sound/peers.mjs';
import { record } from './conversation.mjs';
import { mutations_of } from './operators.mjs';
import { files_of, source_of, version_of } from './scratch.mjs';

// It ends as soon as its input does, so that what it executed is written.
const kEndWithInput = 'data:text/javascript,process.stdin.once("end",()=>process.exit())';

// executed(SCRATCH, SECONDS): by file, the ranges of functions and blocks, inner ones last, with how often the conversation ran each.
export async function executed(scratch, seconds) {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    const { place, words, env } = scratch.place();
    const [node, ...rest] = words;
    await record([node, '--import', kEndWithInput, ...rest], scratch.subject.steps(place),
      { place, env: { ...env, NODE_V8_COVERAGE: folder }, seconds, is_patient: true });
    const found = new Map();
    const home = join(scratch.modules, scratch.subject.package, '/');
    for (const name of readdirSync(folder)) {
      for (const { url, functions } of JSON.parse(readFileSync(join(folder, name))).result) {
        const file = url.startsWith('file:') ? fileURLToPath(url) : '';
        if (file.startsWith(home)) found.set(file.slice(home.length), functions.flatMap(({ ranges }) => ranges));
      }
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Whether the innermost range around a place was executed.
export function is_executed(ranges, place) {
  const around = ranges.filter((each) => each.startOffset <= place && place < each.endOffset);
  const length = (range) => range.endOffset - range.startOffset;
  return around.length > 0 && around.reduce((a, b) => (length(b) <= length(a) ? b : a)).count > 0;
}

// candidates(SUBJECT, RANGES): what can be changed where the conversation comes by; elsewhere no traffic could differ.
export function candidates(subject, ranges) {
  const version = version_of(subject);
  return files_of(subject).filter((file) => ranges.has(file)).flatMap((file) => {
    const source = source_of(subject, file);
    const column = (at) => at - source.lastIndexOf('\n', at - 1);
    return mutations_of(source)
      // Where a body begins it is the function that counts.
      .filter(({ start, operator }) => is_executed(ranges.get(file), operator === 'return-early' ? start + 1 : start))
      .map((mutation) => ({ ...mutation, subject, package: subject.package, version, file, column: column(mutation.start) }));
  });
}

export const is_wanted = (subject, operator, only) =>
  only === undefined || matches(subject.name, only) || matches(`${subject.name}/${operator}`, only);

// in_order(CANDIDATES, SEED, SHARD): one of each package and operator before any comes twice, of one shard ([I, N]).
export function in_order(all, seed, [part, parts] = [1, 1]) {
  const turns = new Map();
  return shuffled(all, seed).map((mutant) => {
    const group = `${mutant.subject.name}/${mutant.operator}`;
    const turn = turns.get(group) ?? 0;
    turns.set(group, turn + 1);
    return { mutant, turn };
  }).sort((a, b) => a.turn - b.turn).map(({ mutant }) => mutant).filter((_, at) => at % parts === part - 1);
}
