// A client on LangChain's adapters, under the official suite's calling convention: the URL, or the words of a command,
// come last.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const [where, ...words] = process.argv.slice(2);
const client = new MultiServerMCPClient({
  throwOnLoadError: true,
  mcpServers: {
    assay: words.length > 0
      ? { transport: 'stdio', command: where, args: words }
      : { transport: 'http', url: where } } });
const calls = { add_numbers: { a: 5, b: 3 }, test_reconnection: {} };
for (const tool of await client.getTools()) {
  if (calls[tool.name]) await tool.invoke(calls[tool.name]);
}
await client.close();
