// A client on the AI SDK.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

import { Cannot, good, isHttp, main, words } from './acts.mjs';

let client;
let tools;
async function call({ tool, arguments: values }) {
  tools ??= await client.tools();
  if (!tools[tool]) throw new Error(`the tool ${tool} is not listed`);
  return good(await tools[tool].execute(values, { toolCallId: tool, messages: [] }));
}
// Not every version has it.
function having(name) {
  const found = client[name] ?? client[`experimental_${name}`];
  if (!found) throw new Cannot(`it has no ${name}()`);
  return found.bind(client);
}

await main(async () => {
  client = await createMCPClient({
    transport: isHttp
      ? { type: 'http', url: words[0] }
      : new Experimental_StdioMCPTransport({ command: words[0], args: words.slice(1), stderr: 'inherit' }),
  });
}, {
  async list() { tools = await client.tools(); },
  call,
  async read({ uri }) { await having('readResource')({ uri }); },
  async prompt({ prompt, arguments: values }) { await having('getPrompt')({ name: prompt, arguments: values }); },
}, () => client.close());
