// A client on the official TypeScript SDK 1.x.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { Cannot, filled, good, isHttp, main, wait, within, words } from './acts.mjs';
import { connectWithLogin, loginOf } from './login.mjs';

const authProvider = loginOf('matrix-sdk1');
const opened = () => isHttp
  ? new StreamableHTTPClientTransport(new URL(words[0]), { authProvider })
  : new StdioClientTransport({ command: words[0], args: words.slice(1), stderr: 'inherit' });
let transport;
const client = new Client({ name: 'matrix-sdk1', version: '1' },
  { capabilities: { roots: {}, sampling: {}, elicitation: {} } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///project' }] }));
client.setRequestHandler(CreateMessageRequestSchema, () =>
  ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'word' } }));
client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: 'accept', content: filled(params.requestedSchema) }));

const params = ({ tool, arguments: values }) => ({ name: tool, arguments: values });
let pages = 0;
async function listAll(method, key) {
  let cursor;
  let count = 0;
  do {
    const page = await client[method](cursor === undefined ? undefined : { cursor });
    cursor = page.nextCursor;
    ++count;
  } while (cursor !== undefined && count < 100);
  pages = Math.max(pages, count);
}

await main(async () => { transport = await connectWithLogin(client, opened, authProvider); }, {
  async list() {
    const has = client.getServerCapabilities() ?? {};
    if (has.tools) await listAll('listTools');
    if (has.resources) await listAll('listResources');
    if (has.prompts) await listAll('listPrompts');
  },
  async page() { if (pages < 2) throw new Cannot('every list came on one page'); },
  async call(errand) { good(await client.callTool(params(errand))); },
  async progress(errand) {
    let reports = 0;
    good(await client.callTool(params(errand), CallToolResultSchema, { onprogress: () => { ++reports; } }));
    if (reports === 0) throw new Error('no progress was reported');
  },
  async cancel(errand) {
    const abort = new AbortController();
    const call = client.callTool(params(errand), CallToolResultSchema,
      { signal: abort.signal, onprogress: () => abort.abort('of no interest any more') }).catch(() => {});
    await Promise.race([call, wait(150)]);
    abort.abort('of no interest any more');
    await client.ping();
  },
  async read({ uri }) { await client.readResource({ uri }); },
  async subscribe(errand) {
    const told = new Promise((resolve) =>
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => resolve()));
    await client.subscribeResource({ uri: errand.uri });
    good(await client.callTool(params(errand)));
    await within(8000, told, 'no notification came that the resource was updated');
  },
  async prompt({ prompt, arguments: values }) { await client.getPrompt({ name: prompt, arguments: values }); },
  async complete({ ref, argument }) { await client.complete({ ref, argument }); },
  async sample(errand) { good(await client.callTool(params(errand))); },
  async elicit(errand) { good(await client.callTool(params(errand))); },
  async resume(errand) { good(await client.callTool(params(errand))); },
}, async () => {
  if (isHttp) await transport.terminateSession().catch(() => {});
  await client.close();
});
