// node --test matrix_test.mjs: what the index makes of reports of 'mcp-assay interop'.
import assert from 'node:assert/strict';
import test from 'node:test';
import { certificationsOf, keyOfPair, linesOfMatrix, matrixPage, newestPairs, pairRows } from './matrix.mjs';

const broken = { party: 'server', session: 0, verdict: { requirement: 'ping.answered', level: 'MUST' } };
const cell = (client, server, more = {}) => ({
  client, server, transport: 'stdio', era: 'newest', agreement: { revision: '2025-11-25' }, breaches: [broken, broken],
  acts: [{ act: 'connect', outcome: 'works' }, { act: 'call', outcome: 'fails_broken' }, { act: 'page', outcome: 'unsupported' }], ...more,
});
const report = (version, cells) => ({
  tool: { version: '0.1.0' }, catalogue: { version: '3' }, started: '2026-11-26T10:00:00Z',
  clients: [{ name: 'sdk-1', package: `@modelcontextprotocol/sdk@${version}, zod@4.6.7` }, { name: 'reference', reference: true }],
  servers: [{ name: 'memory', package: '@modelcontextprotocol/server-memory@2026.8.31' }], cells,
});
const titleOf = (id) => `the ${id}`;
const table = (heading, rows) => [heading, ...rows].map((row) => row.join(' | ')).join('\n');

test('a line has the versions, what works, what fails, and who broke what, once', () => {
  const [line, ...others] = linesOfMatrix(report('1.32.2', [
    cell('sdk-1', 'memory'), cell('reference', 'memory'), cell('sdk-1', 'unknown'),
    cell('sdk-1', 'memory', { not_run: 'no program' }), cell('sdk-1', 'memory', { gateway: 'proxy' }),
  ]));
  assert.deepEqual(others, []);
  assert.deepEqual(line, {
    client: 'typescript-sdk-client', client_version: '1.32.2', server: 'memory', server_version: '2026.8.31', transport: 'stdio',
    era: 'newest', revision: '2025-11-25', date: '2026-11-26', tool: '0.1.0', catalogue: '3', works: ['connect'], fails: ['call'],
    broken: [{ party: 'server', requirement: 'ping.answered', level: 'MUST' }],
  });
});

test('the page has the newest versions, and the history of an implementation has all', () => {
  const lines = ['1.20.0', '1.32.2'].flatMap((version) => linesOfMatrix(report(version, [cell('sdk-1', 'memory')])));
  assert.equal(new Set(lines.map(keyOfPair)).size, 2);
  assert.deepEqual(newestPairs(lines).map((line) => line.client_version), ['1.32.2']);
  assert.match(matrixPage(lines, table, titleOf), /the memory[^]*the typescript-sdk-client[^]*\| stdio:\u00a01\u00a0✓, ✗\u00a0call\n/);
  const rows = pairRows(lines, { id: 'memory', role: 'server' }, titleOf);
  assert.equal(rows.length, 2);
  assert.deepEqual(rows[0].slice(2), ['[the typescript-sdk-client 1.20.0](typescript-sdk-client.md)', 'stdio', '2025-11-25', 1, 'call', '`ping.answered`']);
});

test('a client that ends with an error does not work', () => {
  const end = 'the client: it exited with status 3';
  const [line] = linesOfMatrix(report('1.32.2', [cell('sdk-1', 'memory', { end, acts: [{ act: 'connect', outcome: 'works' }] })]));
  assert.deepEqual([line.works, line.fails], [['connect'], ['end']]);
});

test('only the party that broke a rule is named with it', () => {
  const lines = linesOfMatrix(report('1.32.2', [cell('sdk-1', 'memory')]));
  assert.deepEqual(certificationsOf(lines, { id: 'typescript-sdk-client', role: 'client' }), []);
  const [line] = certificationsOf(lines, { id: 'memory', role: 'server' });
  assert.deepEqual([line.revision, line.broken.map(({ requirement }) => requirement)], ['2025-11-25', ['ping.answered']]);
});
