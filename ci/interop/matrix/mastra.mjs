// A client on Mastra.
import { MCPClient } from '@mastra/mcp';

import { filled, good, isHttp, main, words } from './acts.mjs';

const client = new MCPClient({
  servers: { assay: isHttp ? { url: new URL(words[0]) } : { command: words[0], args: words.slice(1) } } });
let tools;
async function call({ tool, arguments: values }) {
  const found = tools[`assay_${tool}`];
  if (!found) throw new Error(`the tool ${tool} is not listed`);
  return good(await found.execute({ context: values }));
}

await main(async () => { tools = await client.getTools(); }, {
  async list() {
    await client.getTools();
    await client.resources.list();
    await client.prompts.list();
  },
  call,
  async read({ uri }) { await client.resources.read('assay', uri); },
  async prompt({ prompt, arguments: values }) {
    await client.prompts.get({ serverName: 'assay', name: prompt, args: values });
  },
  async elicit(errand) {
    await client.elicitation.onRequest('assay', async ({ requestedSchema }) =>
      ({ action: 'accept', content: filled(requestedSchema) }));
    await call(errand);
  },
}, () => client.disconnect());
