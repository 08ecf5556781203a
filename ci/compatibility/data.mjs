// The files of the compatibility index: what it is about (implementations.tsv), and what each was found to break
// (results.jsonl, the newest last: one line for an implementation in one version, revision and transport). matrix.jsonl has
// a line for each pair of the interop matrix, see matrix.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const resultsFile = join(here, 'results.jsonl');

export const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : []);

export const implementations = linesOf(join(here, 'implementations.tsv')).filter((line) => !line.startsWith('#'))
  .map((line) => {
    const [id, title, role, package_, reports, matrix, what] = line.split('\t').map((part) => (part === '-' ? '' : part));
    return { id, title, role, package: package_, reports: reports.split(' ').filter(Boolean), matrix, what };
  });

export const readResults = () => linesOf(resultsFile).map((line) => JSON.parse(line));
