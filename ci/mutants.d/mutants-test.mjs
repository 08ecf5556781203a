// Tests of the operators, of the comparison of recordings, of the order and of the table.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { first_difference, normalised, record, unsteady_parts } from './conversation.mjs';
import { kOperators, mutations_of } from './operators.mjs';
import { in_order, is_executed } from './plan.mjs';
import { key_of, mistakes_in, survivors, table } from './table.mjs';
import { judged, steady } from './verdicts.mjs';

const kHere = fileURLToPath(new URL('.', import.meta.url));

// What an operator makes of a source, each time one place.
const made = (operator, source) => mutations_of(source).filter((each) => each.operator === operator).map(({ print }) => print());

// Operator, a source with one place for it, and what it makes of that.
const kChanges = [
  ['negate-condition', 'if (a && b) c();', 'if (!(a && b)) c();'],
  ['drop-statement', 'const a = 1; f(a);', 'const a = 1; ;'],
  ['swap-constant', 'f({ isError: true });', 'f({ isError: false });'],
  ['swap-constant', 'f({ type: "text" });', 'f({ type: "" });'],
  ['swap-error-code', 'throw new McpError(ErrorCode.InvalidParams, "x");', 'throw new McpError(ErrorCode.InternalError, "x");'],
  ['swap-error-code', 'f(-32601);', 'f(-32602);'],
  ['off-by-one', 'if (a < b) c();', 'if (a <= b) c();'],
  ['off-by-one', 'f(a.slice(1));', 'f(a.slice(2));'],
  ['return-early', 'function f() { g(); }', 'function f() { return; g(); }'],
  ['drop-await', 'async function f() { await g(); }', 'async function f() { g(); }'],
  ['swap-status', 'response.status(404).end();', 'response.status(400).end();'],
  ['swap-status', 'f({ status: 405 });', 'f({ status: 404 });'],
  ['ignore-header', 'const a = request.headers["origin"];', 'const a = undefined;'],
  ['ignore-header', 'const a = request.headers.get("origin");', 'const a = undefined;'],
];

for (const [operator, source, expected] of kChanges) {
  test(`${operator} changes ${source}`, () => assert.deepStrictEqual(made(operator, source), [expected]));
}

test('every operator has an example', () => {
  assert.deepStrictEqual([...new Set(kChanges.map(([operator]) => operator)), 'drop-member'].sort(), Object.keys(kOperators).sort());
});

test('drop-member drops each member, with its comma, and leaves prose', () => {
  assert.deepStrictEqual(made('drop-member', 'f({ a: 1, description: "x", b: 2 });'),
    ['f({ description: "x", b: 2 });', 'f({ a: 1, description: "x" });']);
});

test('what only people read is left alone', () => {
  assert.deepStrictEqual(mutations_of('console.error(a); f("text", { title: "x" });').map(({ operator }) => operator), ['drop-statement']);
});

test('a change that leaves no program has no text', () => {
  assert.deepStrictEqual(made('drop-await', 'async function f() { await { a: 1, b: 2 }; }'), [undefined]);
});

const recording = (replies, others = []) => ({ replies: new Map(Object.entries(replies)), others });

test('the first difference is that of the answer that was asked for first', () => {
  const original = recording({ a: '{"x":1}', b: '{"y":1}', c: '{}' }, ['n']);
  assert.strictEqual(first_difference(original, original), undefined);
  assert.deepStrictEqual(first_difference(original, recording({ c: '[]', b: '{"y":2}', a: '{"x":1}' }, ['n'])),
    { message: 'answer to b', before: '{"y":1}', after: '{"y":2}' });
  assert.strictEqual(first_difference(original, recording({ a: '{"x":1}', b: '{"y":1}' }, ['n'])).message, 'answer to c');
  assert.strictEqual(first_difference(original, { ...original, others: [] }).message, 'sent unasked');
});

test('what differs between two recordings of the original counts for nothing', () => {
  const original = recording({ a: '1', b: '2' }, ['n']);
  const unsteady = unsteady_parts(original, recording({ a: '3', b: '2' }, ['m']));
  assert.deepStrictEqual([...unsteady], ['a', 'others']);
  assert.strictEqual(first_difference(original, recording({ a: '4', b: '2' }, ['k']), unsteady), undefined);
  assert.strictEqual(first_difference(original, recording({ a: '1', b: '5' }, ['n']), unsteady).message, 'answer to b');
});

test('times and random ids are the same in all recordings', () => {
  assert.strictEqual(normalised('"2026-01-02T03:04:05.678Z" 8c0d2a11-93b2-4c55-8d1e-0f2b6a7c8d9e 12.5 ms'), '"<time>" <uuid> <ms>');
});

// A server that answers each request until it is told to end, and asks for the roots once.
const kServer = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'first') console.log('{"jsonrpc":"2.0","id":"r","method":"roots/list"}');
  if (method === 'end') process.exit();
  if (method) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { method } }));
});`;

test('a recording has the answers, and what was sent unasked, until the server ends', async () => {
  const steps = ['first', 'end', 'last'].map((method) => ({ jsonrpc: '2.0', id: method, method }));
  const { replies, others } = await record([process.execPath, '-e', kServer], steps, { place: kHere, env: {}, seconds: 60 });
  assert.deepStrictEqual([...replies], [['first', '{"jsonrpc":"2.0","id":"first","result":{"method":"first"}}']]);
  assert.deepStrictEqual(others, ['{"jsonrpc":"2.0","id":"r","method":"roots/list"}']);
});

test('the innermost range decides whether a place was executed', () => {
  const ranges = [[0, 100, 1], [10, 20, 0], [12, 14, 2]].map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count }));
  assert.deepStrictEqual([5, 11, 13, 20, 100].map((at) => is_executed(ranges, at)), [true, false, true, true, false]);
});

const mutant = (name, operator, line) => ({ subject: { name }, package: name, version: '1', file: 'a.js', line, column: 1, operator });

test('the order is that of the seed, and begins with one of each package and operator; shards share out', () => {
  const all = ['p', 'q'].flatMap((name) => ['x', 'y'].flatMap((operator) => [1, 2, 3].map((line) => mutant(name, operator, line))));
  const names = (list) => list.map(key_of);
  const order = in_order(all, 7);
  assert.deepStrictEqual(names(order), names(in_order(all, 7)));
  assert.strictEqual(new Set(order.slice(0, 4).map((each) => each.package + each.operator)).size, 4);
  const parts = [1, 2, 3].flatMap((part) => names(in_order(all, 7, [part, 3])));
  assert.deepStrictEqual(parts.sort(), names(all).sort());
});

test('a verdict kills, is seen, or neither', () => {
  const original = { status: 0, outcomes: { a: 'satisfied', b: 'violated', c: 'not_exercised' } };
  const with_outcomes = (outcomes, status = 0) =>
    judged(original, { status, outcomes: { ...original.outcomes, ...outcomes }, details: {} }).outcome;
  assert.strictEqual(with_outcomes({}), 'survived');
  assert.strictEqual(with_outcomes({ a: 'violated' }, 1), 'killed');
  assert.strictEqual(with_outcomes({ b: 'satisfied' }), 'seen');
  assert.strictEqual(with_outcomes({}, 3), 'seen');
});

test('a cancellation that did not cross the answer shows nothing', () => {
  const of = (outcome) => ({ status: 0, outcomes: { 'cancellation.no-response': outcome }, details: {} });
  assert.strictEqual(judged(of('satisfied'), of('not_exercised')).outcome, 'survived');
  assert.strictEqual(judged(of('satisfied'), of('violated')).outcome, 'killed');
});

test('a verdict that changes with the original itself is seen only where a mutant breaks the rule', () => {
  const one = { status: 0, outcomes: { a: 'satisfied', b: 'satisfied' } };
  const original = steady([one, { status: 1, outcomes: { a: 'not_exercised', b: 'violated' } }]);
  const of = (outcomes) => judged(original, { status: 0, outcomes, details: {} }).outcome;
  assert.strictEqual(of({ a: 'not_exercised', b: 'satisfied' }), 'survived');
  assert.strictEqual(of({ a: 'satisfied', b: 'violated' }), 'survived');
  assert.strictEqual(of({ a: 'violated', b: 'violated' }), 'killed');
});

test('the table counts, and a survivor that breaks no rule is no miss', () => {
  const results = [{ ...mutant('p', 'x', 1), outcome: 'killed' }, { ...mutant('p', 'x', 3), outcome: 'same' },
    { ...mutant('p', 'x', 2), outcome: 'survived', before: 'a', after: 'b', difference: { message: 'answer to a', before: '1', after: '' } }];
  const decision = { ...mutant('p', 'x', 2), decision: 'no rule broken', why: 'The text of a tool is its own affair.' };
  assert.match(table(results, [decision]), /^\| p \| x \| 3 \| 1 \| 1 \| 0 \| 1 \| 1 \| 50 % \| 100 % \|$/m);
  assert.match(survivors(results, []), /decision: none yet/);
  assert.match(survivors(results, [decision]), /decision: no rule broken: The text/);
});

test('the decisions are well made', () => {
  assert.deepStrictEqual(mistakes_in(JSON.parse(readFileSync(`${kHere}decisions.json`))), []);
  assert.strictEqual(mistakes_in([{ ...mutant('p', 'x', 1), decision: 'fine', why: '' }]).length, 2);
});
