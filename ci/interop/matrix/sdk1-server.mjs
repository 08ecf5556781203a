// A server on the official TypeScript SDK 1.x: over stdio, or over HTTP with sessions at PORT.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema, isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function made() {
  const server = new McpServer({ name: 'matrix-sdk1', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true, listChanged: true } } });
  const readOnly = { readOnlyHint: true };
  server.registerTool('add', { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, annotations: readOnly },
    async ({ a, b }) => text(String(a + b)));
  server.registerTool('slow', { description: 'Takes some time', annotations: readOnly }, async (extra) => {
    for (let progress = 1; progress <= 6 && !extra.signal.aborted; ++progress) {
      await wait(100);
      const progressToken = extra._meta?.progressToken;
      if (progressToken === undefined) continue;
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 6 } });
    }
    return text('done');
  });
  server.registerTool('sample', { description: 'Asks the model' }, async () => {
    const answer = await server.server.createMessage(
      { messages: [{ role: 'user', content: { type: 'text', text: 'Say a word.' } }], maxTokens: 10 });
    return text(JSON.stringify(answer.content));
  });
  server.registerTool('ask', { description: 'Asks the user' }, async () => {
    const answer = await server.server.elicitInput({ message: 'Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } });
    return text(JSON.stringify(answer));
  });
  server.registerTool('touch', { description: 'Changes the note' }, async () => {
    await server.server.sendResourceUpdated({ uri: 'note://one' });
    return text('touched');
  });
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  server.registerPrompt('explain', { description: 'Explains',
    argsSchema: { topic: completable(z.string(), () => ['tools', 'tasks']) } },
  ({ topic }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Explain ${topic}` } }] }));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

const sessions = new Map();

async function bodyOf(request) {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body ? JSON.parse(body) : undefined;
}

async function handle(request, response) {
  try {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (!transport && !id && isInitializeRequest(body)) {
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (fresh) => { sessions.set(fresh, transport); } });
      await made().connect(transport);
    }
    if (!transport) {
      response.writeHead(id ? 404 : 400, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: null,
        error: { code: -32000, message: id ? 'Session not found' : 'No session' } }));
    }
    await transport.handleRequest(request, response, body);
  } catch (error) {
    console.error(error);
    response.destroy();
  }
}

if (!process.env.PORT) {
  await made().connect(new StdioServerTransport());
} else {
  const port = Number(process.env.PORT);
  const app = process.env.CLOSED ? (await import('./sdk1-gate.mjs')).behindGate(handle, port) : handle;
  createServer(app).listen(port, '127.0.0.1');
}
