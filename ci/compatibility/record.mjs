// Adds reports to results.jsonl and matrix.jsonl, in place of earlier ones of the same versions, and renews the badges:
//
//   node record.mjs PROGRAM FOLDER...     FOLDER: build/interop or build/interop-clients, with reports/ and node_modules/, or
//                                         build/interop-matrix, with matrix.json
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, implementations, readResults, resultsFile } from './data.mjs';
import { keyOfPair, linesOfMatrix, matrixFile, readMatrix } from './matrix.mjs';

const [program, ...folders] = process.argv.slice(2);
const exercised = (verdict) => verdict.outcome === 'satisfied' || verdict.outcome === 'violated';

function linesOf(id, version, report) {
  return report.runs.map((run) => ({
    id,
    version,
    date: report.started.slice(0, 10),
    tool: report.tool.version,
    catalogue: report.catalogue.version,
    revision: run.revision,
    transport: run.transport,
    status: run.status,
    exercised: run.verdicts.filter(exercised).length,
    applicable: run.verdicts.filter((verdict) => verdict.outcome !== 'not_applicable').length,
    broken: run.verdicts.filter((verdict) => verdict.outcome === 'violated').map((verdict) => ({
      requirement: verdict.requirement,
      level: verdict.level,
      reason: verdict.expected?.reason ?? '',
    })),
  }));
}

// The report of all parts, as a badge shows it.
function writeBadge(id, files) {
  const scratch = mkdtempSync(join(tmpdir(), 'badge-'));
  try {
    let whole = files[0];
    if (files.length > 1) {
      whole = join(scratch, 'whole.json');
      // A client is started with other words over each transport: here it is one target.
      const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
      const parts = reports.map((report, index) => {
        const part = join(scratch, `${index}.json`);
        writeFileSync(part, JSON.stringify({ ...report, target: reports[0].target }));
        return part;
      });
      execFileSync(program, ['merge', ...parts, '-o', whole], { stdio: ['ignore', 'ignore', 'inherit'] });
    }
    mkdirSync(join(here, 'badges'), { recursive: true });
    execFileSync(program, ['report', whole, '--report', `badge=${join(here, 'badges', `${id}.svg`)}`], { stdio: 'ignore' });
  } catch (error) {
    if (![0, 1].includes(error.status)) throw error; // 1: something is violated
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const isOlder = (a, b) => a.localeCompare(b, 'en', { numeric: true }) < 0;

const keyOf = (line) => [line.id, line.version, line.revision, line.transport].join(' ');
const badges = new Map(); // of the newest version of each
const all = new Map(readResults().map((line) => [keyOf(line), line]));
for (const folder of folders) {
  for (const { id, package: package_, reports } of implementations) {
    const files = reports.map((name) => join(folder, 'reports', `${name}.json`)).filter(existsSync);
    if (files.length === 0) continue;
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', package_, 'package.json'), 'utf8'));
    for (const file of files) {
      for (const line of linesOf(id, version, JSON.parse(readFileSync(file, 'utf8')))) {
        all.delete(keyOf(line)); // so that the newest comes last
        all.set(keyOf(line), line);
      }
    }
    if (!isOlder(version, badges.get(id)?.version ?? '')) badges.set(id, { version, files });
    console.log(`${id} ${version}: ${files.length} reports`);
  }
}
for (const [id, { files }] of badges) writeBadge(id, files);
const pairs = new Map(readMatrix().map((line) => [keyOfPair(line), line]));
for (const file of folders.map((folder) => join(folder, 'matrix.json')).filter(existsSync)) {
  const lines = linesOfMatrix(JSON.parse(readFileSync(file, 'utf8')));
  for (const line of lines) pairs.set(keyOfPair(line), line);
  console.log(`the matrix: ${lines.length} pairs`);
}

function writeLines(file, lines, key) {
  const order = (a, b) => a.date.localeCompare(b.date) || key(a).localeCompare(key(b), 'en', { numeric: true });
  writeFileSync(file, lines.sort(order).map((line) => `${JSON.stringify(line)}\n`).join(''));
}
writeLines(resultsFile, [...all.values()], keyOf);
writeLines(matrixFile, [...pairs.values()], keyOfPair);
