// A small server on the official SDK 1.x with one of each feature, so that little of the SDK is idle.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { z } from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

export function createServer() {
  const server = new McpServer({ name: 'sdk-server', version: '1.0.0' }, { capabilities: { logging: {} }, instructions: 'Add numbers.' });

  server.registerTool('add', {
    description: 'Adds two numbers',
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
    annotations: { readOnlyHint: true },
  }, async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }));

  server.registerTool('steps', { description: 'Tells its progress', annotations: { readOnlyHint: true } }, async (extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progressToken !== undefined && progress <= 3; ++progress) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    }
    await server.sendLoggingMessage({ level: 'info', data: 'all steps are done' }, extra.sessionId);
    return text('done');
  });

  server.registerTool('ask', { description: 'Asks the model, and the user', annotations: { readOnlyHint: true } }, async () => {
    const offers = server.server.getClientCapabilities() ?? {};
    const said = [];
    if (offers.sampling) {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Say a word' } }];
      said.push(JSON.stringify((await server.server.createMessage({ messages, maxTokens: 10 })).content));
    }
    if (offers.elicitation) {
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
      said.push((await server.server.elicitInput({ message: 'Your name?', requestedSchema })).action);
    }
    if (offers.roots) said.push(String((await server.server.listRoots()).roots.length));
    return text(said.join(' '));
  });

  server.registerTool('fail', { description: 'Fails', annotations: { readOnlyHint: true } }, async () => {
    throw new Error('as it was told');
  });

  server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a note' }] }));
  server.registerResource('notes', new ResourceTemplate('note://of/{name}', {
    list: async () => ({ resources: [{ name: 'ann', uri: 'note://of/ann' }] }),
    complete: { name: (value) => ['ann', 'bob'].filter((each) => each.startsWith(value)) },
  }), {}, async (uri, { name }) => ({ contents: [{ uri: uri.href, text: `a note of ${name}` }] }));

  server.registerPrompt('greet', { description: 'Greets', argsSchema: { name: completable(z.string(), (value) => [`${value}x`]) } },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }));
  return { server };
}
