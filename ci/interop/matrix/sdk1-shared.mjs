// A server on the official TypeScript SDK 1.x over HTTP at PORT, without sessions, which has one transport for all
// requests.
import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'matrix-shared', version: '1.0.0' });
server.registerTool('hello', { description: 'Greets', annotations: { readOnlyHint: true } },
  async () => ({ content: [{ type: 'text', text: 'hello' }] }));
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
await server.connect(transport);
createServer((request, response) => transport.handleRequest(request, response))
  .listen(Number(process.env.PORT), '127.0.0.1');
