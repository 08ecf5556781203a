// A server of the official SDK has the same verdicts in this process as when it is started as a command.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { certify } from 'mcp-assay';

function createServer() {
  const server = new McpServer({ name: 'in-process', version: '1.0.0' });
  const numbers = { a: z.number(), b: z.number() };
  server.registerTool('add', { description: 'Adds', inputSchema: numbers, annotations: { readOnlyHint: true } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  return server;
}

const judged = ({ report }) => report.runs.flatMap(({ verdicts }) => verdicts)
  .filter(({ outcome }) => outcome === 'satisfied' || outcome === 'violated')
  .map(({ requirement, outcome }) => `${requirement} ${outcome}`);

if (process.argv[2] === 'serve') {
  await createServer().connect(new StdioServerTransport());
} else {
  test('in this process as over stdio', async () => {
    const options = { revision: '2025-11-25', maxTime: 300 };
    const here = await certify({ server: createServer, ...options });
    const elsewhere = await certify({ command: ['node', fileURLToPath(import.meta.url), 'serve'], ...options });
    assert.ok(judged(here).length > 50);
    assert.deepEqual(judged(here), judged(elsewhere));
    console.log(`in this process ${here.report.duration_ms} ms, as a command ${elsewhere.report.duration_ms} ms`);
  });
}
