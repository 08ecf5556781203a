// Writes the pages of the compatibility index as Markdown, for ci/docs:
//
//   node pages.mjs PROGRAM FOLDER [--rules]    --rules: the site has the pages of rules that 'report --rules' makes
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { here, implementations, readResults } from './data.mjs';
import { certificationsOf, matrixPage, newestPairs, pairBadge, pairRows, readMatrix } from './matrix.mjs';

const [program, folder, option] = process.argv.slice(2);
const listed = execFileSync(program, ['list', 'requirements', '--json'], { maxBuffer: 1 << 26 });
const catalogue = new Map(JSON.parse(listed).map((rule) => [rule.id, rule]));
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const roles = [['server', 'Servers'], ['client', 'Clients'], ['authorization server', 'Authorization servers']];

// Text of others: nothing in it means anything to Markdown or HTML.
const plain = (text) => text.replace(/[\\`*_{}[\]()<>#+!|~&]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/\s+/g, ' ');

function write(path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const table = (heading, rows) => [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
const sentenceOf = (requirement) => plain(catalogue.get(requirement)?.summary ?? 'A rule of an earlier catalogue.');
const isMust = (each) => each.level.startsWith('MUST');
const count = (line, wanted) => line.broken.filter(wanted).length;

// Lines of one implementation, grouped by version, the newest first.
function versionsOf(lines) {
  const versions = new Map();
  for (const line of lines) versions.set(line.version, [...(versions.get(line.version) ?? []), line]);
  return [...versions.entries()].reverse();
}

// What a version comes to in one revision, over all transports.
function cell(lines, revision) {
  const runs = lines.filter((line) => line.revision === revision);
  if (runs.length === 0) return '';
  if (runs.every(({ status }) => status === 'unsupported')) return 'not supported';
  const must = Math.max(...runs.map((line) => count(line, isMust)));
  const should = Math.max(...runs.map((line) => count(line, (each) => !isMust(each))));
  const best = runs.reduce((a, b) => (b.exercised > a.exercised ? b : a));
  const broken = [[must, 'MUST'], [should, 'SHOULD']].filter(([number]) => number > 0).map((each) => each.join(' ')).join(', ');
  const verdict = must > 0 ? `${broken} broken` : ['conformant', broken && `${broken} broken`].filter(Boolean).join(', ');
  return `${verdict}<br>${best.exercised} of ${best.applicable} rules`;
}

// What is broken in these lines: by rule, with where.
function brokenIn(lines) {
  const rules = new Map();
  for (const line of lines) {
    for (const each of line.broken) {
      const rule = rules.get(each.requirement) ?? { ...each, where: [] };
      rule.where.push(line);
      Object.assign(rule, { ...each, where: rule.where }); // as the newest revision says it
      rules.set(each.requirement, rule);
    }
  }
  return [...rules.values()].sort((a, b) => isMust(b) - isMust(a) || a.requirement.localeCompare(b.requirement));
}

function whereOf(lines) {
  const transports = [...new Set(lines.map(({ transport }) => transport))].filter((each) => each !== '');
  const seen = [...new Set(lines.map(({ revision }) => revision))];
  return `${seen.join(', ')}${transports.length > 0 ? ` over ${transports.join(' and ')}` : ''}`;
}

const pairs = readMatrix();
const results = readResults();
const titleOf = (id) => implementations.find((each) => each.id === id)?.title ?? id;
const known = implementations.map((implementation) => {
  const versions = versionsOf(results.filter(({ id }) => id === implementation.id));
  const lines = versions[0]?.[1] ?? [];
  const broken = brokenIn(lines);
  const inMatrix = brokenIn(certificationsOf(pairs, implementation))
    .filter(({ requirement }) => !broken.some((each) => each.requirement === requirement));
  const rows = pairRows(pairs, implementation, titleOf);
  return { ...implementation, versions, lines, version: versions[0]?.[0] ?? rows.at(-1)?.[0], broken: [...broken, ...inMatrix], rows };
}).filter(({ version }) => version !== undefined);

function historyOf({ versions, rows }) {
  const history = versions.flatMap(([number, all]) => all.map((line) => [
    plain(number), line.date, line.revision, line.transport || '-', line.status, `${line.exercised} of ${line.applicable}`,
    count(line, isMust), count(line, (each) => !isMust(each)),
  ]));
  const runs = table(['version', 'day', 'revision', 'transport', 'status', 'exercised', 'MUST violated', 'SHOULD violated'], history);
  const others = table(['version', 'day', 'with', 'over', 'revision', 'acts that work', 'acts that fail', 'rules that it broke'], rows);
  return (history.length === 0 ? '' : `## All runs\n\n${runs}\n`) +
    (rows.length === 0 ? '' : `## With others\n\n[Every client with every server](matrix.md).\n\n${others}\n`);
}

function implementationPage(implementation) {
  const { id, title, role, package: package_, what, lines, version, broken } = implementation;
  const badge = join(here, 'badges', `${id}.svg`);
  write(`badges/${id}.svg`, existsSync(badge) ? readFileSync(badge, 'utf8') : pairBadge(peersOf(implementation)));
  const rules = broken.map((each) => [
    `[\`${each.requirement}\`](rules/${each.requirement}.md)`, each.level, sentenceOf(each.requirement), whereOf(each.where),
    plain(each.reason) || 'not yet looked at by hand',
  ]);
  const [tested] = lines;
  const how = tested ? `mcp-assay ${tested.tool}, catalogue ${tested.catalogue}, ${tested.date}` : 'tested in the interop matrix only';
  return `# ${title}

![What ${title} ${version} comes to](badges/${id}.svg)

Tested as a ${role}: ${what}.
Package \`${package_}\`, version ${plain(version)}; ${how}.

## What it breaks

${broken.length === 0 ? 'No rule that was exercised.\n' : table(['rule', 'level', 'the rule', 'where', 'why'], rules)}
${historyOf(implementation)}[All implementations](README.md)
`;
}

function rulePage(requirement, users) {
  const { spec } = Object.values(catalogue.get(requirement)?.revisions ?? {}).at(-1) ?? {};
  const more = option === '--rules' ? ` [How it is judged, with examples](../../rules/${requirement}.html).` : '';
  return `# Who breaks ${requirement}

${sentenceOf(requirement)}${spec ? ` [The specification](${spec}).` : ''}${more}

${table(['implementation', 'role', 'level', 'where', 'why'], users.map(({ implementation, rule }) => [
    `[${implementation.title} ${plain(implementation.version)}](../${implementation.id}.md)`, implementation.role, rule.level,
    whereOf(rule.where), plain(rule.reason) || 'not yet looked at by hand',
  ]))}
[All implementations](../README.md)
`;
}

const users = new Map();
for (const implementation of known) {
  write(`${implementation.id}.md`, implementationPage(implementation));
  for (const rule of implementation.broken) {
    users.set(rule.requirement, [...(users.get(rule.requirement) ?? []), { implementation, rule }]);
  }
}
for (const [requirement, each] of users) write(`rules/${requirement}.md`, rulePage(requirement, each));
if (pairs.length > 0) write('matrix.md', matrixPage(pairs, table, titleOf));
// For the pages of the rules, to which ci/docs adds it.
write('broken-by.tsv', [...users].flatMap(([requirement, each]) =>
  each.map(({ implementation: { id, title, version } }) => `${requirement}\t${id}\t${plain(`${title} ${version}`)}\n`)).join(''));

// How many of its pairs in the matrix work in all that was tried.
function peersOf({ id, role }) {
  const mine = newestPairs(pairs).filter((line) => line[role] === id);
  const sound = mine.filter(({ fails }) => fails.length === 0).length;
  return { sound, all: mine.length };
}

const linkToPeers = ({ sound, all }) => (all === 0 ? '-' : `[${sound} of ${all} pairs](matrix.md)`);

const sections = roles.map(([role, heading]) => {
  const rows = known.filter((each) => each.role === role)
    .map((each) => [`[${each.title} ${plain(each.version)}](${each.id}.md)`, ...revisions.map((revision) => cell(each.lines, revision)),
      linkToPeers(peersOf(each))]);
  return rows.length === 0 ? '' : `## ${heading}\n\n${table(['implementation', ...revisions, 'with others'], rows)}\n`;
});
const rules = [...users].sort(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b)).map(([requirement, each]) => [
  `[\`${requirement}\`](rules/${requirement}.md)`, each[0].rule.level, each.length,
  each.map(({ implementation }) => `[${implementation.title}](${implementation.id}.md)`).join(', '),
]);
write('README.md', `# Compatibility

What servers, clients and authorization servers of other authors keep and break of the specification, in the versions that
we tested. Each cell says how many rules are broken, of each level, and how many of those that apply were exercised. Each
violation was looked up in the specification by hand, unless its page says otherwise. "With others" counts the pairs of
the matrix, each over one transport, in which nothing failed. If you think that a verdict is wrong, [tell
us](../reports/READING.md#when-you-disagree).

${sections.join('')}## Rules that are broken

${table(['rule', 'level', 'by', 'implementations'], rules)}`);
console.log(`${known.length} implementations, ${users.size} rules`);
