// A client on Mastra, under the official suite's calling convention: the URL, or the words of a command, come last.
import { MCPClient } from '@mastra/mcp';

const [where, ...words] = process.argv.slice(2);
const client = new MCPClient({
  servers: { assay: words.length > 0 ? { command: where, args: words } : { url: new URL(where) } } });
const calls = { assay_add_numbers: { a: 5, b: 3 }, assay_test_reconnection: {} };
const tools = await client.getTools();
for (const [name, values] of Object.entries(calls)) {
  await tools[name]?.execute({ context: values });
}
await client.disconnect();
