// A client on the AI SDK, under the official suite's calling convention: the URL, or the words of a command, come
// last.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

const [where, ...words] = process.argv.slice(2);
const client = await createMCPClient({
  transport: words.length > 0
    ? new Experimental_StdioMCPTransport({ command: where, args: words })
    : { type: 'http', url: where } });
const calls = { add_numbers: { a: 5, b: 3 }, echo: { message: 'hello' } };
const tools = await client.tools();
for (const [name, values] of Object.entries(calls)) {
  await tools[name]?.execute(values, { toolCallId: name, messages: [] });
}
await client.close();
