// A fixed conversation with a server over stdio, what it answered, and what differs between two such recordings.
import { dirname } from 'node:path';
import { start, stop } from '../sound/processes.mjs';

const kAnswers = {
  'roots/list': { roots: [{ uri: 'file:///work', name: 'work' }] },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'word' }, model: 'none', stopReason: 'endTurn' },
  'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
  ping: {},
};

// What changes from run to run: times, random ids, states that are sealed with the time, and the folder.
const kNoise = [[/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)/g, '<time>'], [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, '<uuid>'],
  [/\b[\da-f]{32,64}\b/gi, '<hex>'], [/[\w-]{20,}\.[\w-]{40,}/g, '<sealed>'], [/\d+(?:\.\d+)? ?ms\b/g, '<ms>'], [/\d{1,2}:\d\d:\d\d(?: ?[AP]M)?/g, '<time>'],
  [/\w{3} \w{3} \d\d \d{4} <time>[^"\\]*/g, '<date>']];

export const normalised = (line) => kNoise.reduce((text, [pattern, word]) => text.replace(pattern, word), line);

// Lines of a stream; a line of more than 4 MiB is cut.
function on_lines(stream, take) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop().slice(0, 4 << 20);
    lines.forEach(take);
  });
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

// record(WORDS, STEPS, {cwd, env, seconds}): starts the server and plays the steps, each when the one before is answered. A step is a
// message; one with an id waits for the answer, at most `seconds`, after which no later step waits longer than a moment. Returns
// `replies` (by id) and `others` (notifications, requests and lines that are none of these), as normalised text. `is_patient`: the
// server may take as long to end.
export async function record(words, steps, { env, seconds, place, is_patient = false }) {
  const child = start(words, { cwd: place, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  const replies = new Map();
  const others = [];
  const waiting = new Map();
  let has_ended = false;
  child.ended.then(() => {
    has_ended = true;
    waiting.forEach((done) => done());
  });
  const send = (message) => !has_ended && child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  on_lines(child.stdout, (line) => {
    const message = parsed(line);
    const text = normalised([place, dirname(place)].reduce((rest, folder) => rest.replaceAll(folder, '<place>'), line));
    if (message?.id !== undefined && message.method === undefined) {
      const slot = String(message.id);
      if (replies.has(slot)) others.push(text);
      else replies.set(slot, text);
      waiting.get(slot)?.();
      return;
    }
    others.push(text);
    if (message?.id === undefined || others.length > 10000) return;
    const result = kAnswers[message.method];
    send({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) });
  });
  let patience = seconds * 1000;
  for (const step of steps) {
    send(step);
    if (step.id === undefined || has_ended) continue;
    const slot = String(step.id);
    if (!replies.has(slot)) await answered(waiting, slot, patience);
    if (!replies.has(slot)) patience = Math.min(patience, 500);
  }
  child.stdin.end();
  if (is_patient) await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, seconds * 1000).unref())]);
  await stop(child);
  return { replies, others: others.sort() };
}

function answered(waiting, slot, milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    waiting.set(slot, () => {
      clearTimeout(timer);
      resolve();
    });
  }).finally(() => waiting.delete(slot));
}

// The first place where two texts differ, with what is around it.
function around_difference(before, after) {
  let at = 0;
  while (at < before.length && before[at] === after[at]) ++at;
  const part = (text) => text.slice(Math.max(0, at - 60), at + 100);
  return { before: part(before), after: part(after) };
}

// first_difference(ORIGINAL, MUTANT, UNSTEADY): the first message that differs, or undefined: the answers in the order in which they
// were asked for, then what the server sent unasked. UNSTEADY names what also differs between two recordings of the original.
export function first_difference(original, mutant, unsteady = new Set()) {
  for (const slot of new Set([...original.replies.keys(), ...mutant.replies.keys()])) {
    const [before, after] = [original.replies.get(slot) ?? '', mutant.replies.get(slot) ?? ''];
    if (before !== after && !unsteady.has(slot)) return { message: `answer to ${slot}`, ...around_difference(before, after) };
  }
  if (unsteady.has('others')) return undefined;
  const count = Math.max(original.others.length, mutant.others.length);
  for (let i = 0; i < count; ++i) {
    const [before, after] = [original.others[i] ?? '', mutant.others[i] ?? ''];
    if (before !== after) return { message: 'sent unasked', ...around_difference(before, after) };
  }
  return undefined;
}

// What differs between recordings of one server, by the names that first_difference() takes.
export function unsteady_parts(first, second) {
  const parts = new Set([...first.replies].filter(([slot, text]) => second.replies.get(slot) !== text).map(([slot]) => slot));
  if (first.others.join('\n') !== second.others.join('\n')) parts.add('others');
  return parts;
}
