// Ids of requests and progress tokens: any string or integer will do, as long as each is used once.
import { randomUUID } from 'node:crypto';

export function idsOf(kind) {
  let count = 0;
  switch (kind) {
    case 'zero': return () => count++;
    case 'strings': return () => `request ${++count}`;
    case 'uuids': return () => randomUUID();
    case 'big': return () => Number.MAX_SAFE_INTEGER - 1000 + ++count;
    case 'descending': return () => -(++count);
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
