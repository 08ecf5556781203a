// A client on the TypeScript SDK 1.x, under the official suite's calling convention: the URL, or the words of a
// command, come last.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [where, ...words] = process.argv.slice(2);
const isStdio = words.length > 0;
const transport = isStdio
  ? new StdioClientTransport({ command: where, args: words })
  : new StreamableHTTPClientTransport(new URL(where));
const client = new Client(
  { name: 'typescript-sdk-fixture', version: '1' },
  { capabilities: { roots: {}, elicitation: { form: { applyDefaults: true } } } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///project' }] }));
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));

const calls = { add_numbers: { a: 5, b: 3 }, test_client_elicitation_defaults: {} };
await client.connect(transport);
let cursor;
do {
  const page = await client.listTools(cursor === undefined ? {} : { cursor });
  for (const tool of page.tools) {
    if (calls[tool.name]) await client.callTool({ name: tool.name, arguments: calls[tool.name] });
  }
  cursor = page.nextCursor;
} while (cursor !== undefined);
if (!isStdio) await transport.terminateSession();
await client.close();
