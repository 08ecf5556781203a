// What the interop matrix says of the implementations: which acts work between each pair, and which rules broke there.
import { implementations, linesOf, here } from './data.mjs';
import { join } from 'node:path';

export const matrixFile = join(here, 'matrix.jsonl');
export const readMatrix = () => linesOf(matrixFile).map((line) => JSON.parse(line));

const failing = ['fails_broken', 'fails_unclear', 'fails_sound'];
const working = ['works', 'works_though', 'unsteady'];

// "@scope/name@1.2.3, zod@4" is of version 1.2.3.
const versionOf = (packages = '') => packages.split(', ')[0].split('@').at(-1);

// The id of a party of ci/interop/matrix.yaml; undefined for ours, and for what the index does not know.
const idOf = (role, name) => implementations.find((each) => each.role === role && each.matrix === name)?.id;

// One line for each pair that was tried, from the JSON report of 'mcp-assay interop'.
export function linesOfMatrix(report) {
  const versions = (parties) => new Map(parties.map(({ name, package: package_ }) => [name, versionOf(package_)]));
  const [clients, servers] = [versions(report.clients), versions(report.servers)];
  return report.cells.filter((cell) => !cell.not_run && !cell.gateway).flatMap((cell) => {
    const [client, server] = [idOf('client', cell.client), idOf('server', cell.server)];
    if (!client || !server) return [];
    const acts = (wanted) => cell.acts.filter(({ outcome }) => wanted.includes(outcome)).map(({ act }) => act);
    const broken = new Map((cell.breaches ?? []).map(({ party, verdict: { requirement, level } }) =>
      [`${party} ${requirement}`, { party, requirement, level }]));
    return [{
      client, client_version: clients.get(cell.client), server, server_version: servers.get(cell.server),
      transport: cell.transport, era: cell.era, revision: cell.agreement.revision ?? '', date: report.started.slice(0, 10),
      tool: report.tool.version, catalogue: report.catalogue.version, works: acts(working), fails: [...acts(failing), ...(cell.end ? ['end'] : [])], // 'end': one of the two ended with an error
      broken: [...broken.values()],
    }];
  });
}

export const keyOfPair = (line) => ['client', 'client_version', 'server', 'server_version', 'transport', 'era'].map((key) => line[key]).join(' ');

// Only the newest version of each party, of all lines in the order of their days.
export function newestPairs(lines) {
  const newest = new Map();
  for (const line of lines) newest.set(line.client, line.client_version).set(line.server, line.server_version);
  return lines.filter((line) => newest.get(line.client) === line.client_version && newest.get(line.server) === line.server_version);
}

// How one pair comes out over one transport: "8 ✓", or what fails; with blanks at which no line breaks.
const outcomeOf = ({ works, fails, transport, era }) =>
  `${transport}${era === 'oldest' ? ', oldest' : ''}:\u00a0${works.length}\u00a0✓${fails.length > 0 ? `, ✗\u00a0${fails.join(', ')}` : ''}`;

// Markdown of the page for all pairs.
export function matrixPage(lines, table, titleOf) {
  const pairs = newestPairs(lines);
  const ids = (key) => [...new Set(pairs.map((line) => line[key]))].sort();
  const rows = ids('client').map((client) => [`[${titleOf(client)}](${client}.md)`, ...ids('server').map((server) =>
    pairs.filter((line) => line.client === client && line.server === server).map(outcomeOf).join('<br>') || '-')]);
  const days = [...new Set(pairs.map(({ date }) => date))].sort();
  const when = days.length === 1 ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
  return `# Every client with every server

Each cell has the transports over which this client was run with this server: how many acts work, and which fail; "end" where one of the
two ended with an error. Tested ${when}. [Interoperability](../harness/interop/INTEROP.md) says what the acts are, and [What
fails in the matrix](../ci/interop/MATRIX.md) whose fault a failure is.

${table(['client', ...ids('server').map((server) => `[${titleOf(server)}](${server}.md)`)], rows)}
[All implementations](README.md)
`;
}

// For what was run in the matrix only; others have the badge of their certification.
export function pairBadge({ sound, all }) {
  const text = `${sound} of ${all} pairs work`;
  const [left, right] = [72, 7 * text.length + 16];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="MCP: ${text}">` +
    `<title>MCP: ${text}</title><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
    `<rect width="${left}" height="20" fill="#30363d"/><rect x="${left}" width="${right}" height="20" fill="${sound === all ? '#18794e' : '#57606a'}"/>` +
    `<text x="8" y="14" textLength="${left - 16}">MCP matrix</text><text x="${left + 8}" y="14" textLength="${right - 16}">${text}</text></g></svg>\n`;
}

// The rows of one implementation: with whom, how, and what comes of it.
export function pairRows(lines, { id, role }, titleOf) {
  const peer = role === 'client' ? 'server' : 'client';
  return lines.filter((line) => line[role] === id).map((line) => [
    line[`${role}_version`], line.date, `[${titleOf(line[peer])} ${line[`${peer}_version`]}](${line[peer]}.md)`,
    `${line.transport}${line.era === 'oldest' ? ', oldest revision' : ''}`, line.revision || 'none', line.works.length,
    line.fails.join(', ') || '-', line.broken.filter(({ party }) => party === role).map(({ requirement }) => `\`${requirement}\``).join(', ') || '-',
  ]);
}

// As lines of results.jsonl, so that what broke in the matrix is counted with what was certified.
export function certificationsOf(lines, { id, role }) {
  return newestPairs(lines).filter((line) => line[role] === id && line.broken.some(({ party }) => party === role)).map((line) => ({
    revision: line.revision, transport: line.transport,
    broken: line.broken.filter(({ party }) => party === role)
      .map(({ requirement, level }) => ({ requirement, level, reason: 'seen in the interop matrix, not yet looked at by hand' })),
  }));
}
