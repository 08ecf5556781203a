// A small server on the official SDK 2.x, over stdio, for revisions without a handshake.
import { McpServer, ResourceTemplate, acceptedContent, createRequestStateCodec, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const readOnly = { annotations: { readOnlyHint: true } };
const states = createRequestStateCodec({ key: new Uint8Array(32).fill(7) });
const user = z.object({ name: z.string() });

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-2-server', version: '1.0.0' },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true, listChanged: true } }, instructions: 'Add numbers.',
      requestState: { verify: states.verify } });
  server.registerTool('add', { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }), ...readOnly },
  async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }));
  server.registerTool('fail', { description: 'Fails', ...readOnly }, async () => { throw new Error('as it was told'); });
  server.registerTool('steps', { description: 'Tells its progress, and logs', ...readOnly }, async (context) => {
    const { _meta: meta, notify } = context.mcpReq;
    for (let progress = 1; meta?.progressToken !== undefined && progress <= 3; ++progress) {
      await notify({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress, total: 3 } });
    }
    await context.mcpReq.log('info', 'all steps are done', 'steps');
    return text('done');
  });
  server.registerTool('ask', { description: 'Asks the user', ...readOnly }, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'user', user);
    if (answer) return text(`Hello, ${answer.name}`);
    if (context.mcpReq.inputResponses?.user) return text('Hello');
    return inputRequired({ inputRequests: { user: inputRequired.elicit({ message: 'Your name?', requestedSchema: user }) },
      requestState: await states.mint({ asked: 'user' }, context) });
  });
  server.registerTool('touch', { description: 'Changes the note', ...readOnly }, async () => {
    await server.server.sendResourceUpdated({ uri: 'note://one' });
    return text('touched');
  });
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a note' }] }));
  server.registerResource('notes', new ResourceTemplate('note://of/{name}', { list: undefined, complete: { name: () => ['ann', 'bob'] } }), {},
    async (uri, { name }) => ({ contents: [{ uri: uri.href, text: `a note of ${name}` }] }));
  server.registerPrompt('greet', { description: 'Greets', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }));
  return server;
});
