// A client on LangChain's adapters.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

import { isHttp, main, words } from './acts.mjs';

const client = new MultiServerMCPClient({
  throwOnLoadError: true,
  mcpServers: {
    assay: isHttp
      ? { transport: 'http', url: words[0] }
      : { transport: 'stdio', command: words[0], args: words.slice(1), stderr: 'inherit' } } });
let tools;
async function call({ tool, arguments: values }) {
  const found = tools.find((each) => each.name === tool);
  if (!found) throw new Error(`the tool ${tool} is not listed`);
  return found.invoke(values);
}

await main(async () => { tools = await client.getTools(); }, {
  async list() { await client.getTools(); },
  call,
  progress: call,
  async read({ uri }) {
    if (!client.readResource) throw new Error('it has no readResource()');
    await client.readResource('assay', uri);
  },
}, () => client.close());
