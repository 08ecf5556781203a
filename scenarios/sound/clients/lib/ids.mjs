// Ids of requests and progress tokens: any string or integer will do, as long as each is used once.
import { randomUUID } from 'node:crypto';

/**
 * `seen` are the ids of questions that the server asked: ids of the other direction, which may well be the same as ours.
 */
export function idsOf(kind, seen = []) {
  let count = 0;
  switch (kind) {
    case 'zero': return () => count++;
    case 'strings': return () => `request ${++count}`;
    case 'uuids': return () => randomUUID();
    case 'big': return () => Number.MAX_SAFE_INTEGER - 1000 + ++count;
    case 'alike': return () => (++count % 2 ? (count + 1) / 2 : String(count / 2));  // 1, "1", 2, "2": a number is no text
    case 'descending': return () => -(++count);
    case 'mirrored': return () => seen.shift() ?? 5000 + ++count;
    default: return () => ++count;
  }
}

export function tokensOf(kind) {
  let count = 0;
  switch (kind) {
    case 'strings': return () => `${++count}`;  // looks like a number, and is a text
    case 'numbers': return () => 1000000 + ++count;
    default: return () => undefined;
  }
}
