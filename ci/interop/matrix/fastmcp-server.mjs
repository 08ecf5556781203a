// A server on fastmcp: over stdio, or over HTTP at PORT.
import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const server = new FastMCP({ name: 'matrix-fastmcp', version: '1.0.0' });
const annotations = { readOnlyHint: true };
server.addTool({ name: 'add', description: 'Adds', annotations, parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b) });
server.addTool({ name: 'fail', description: 'Fails', annotations, parameters: z.object({}),
  execute: async () => { throw new UserError('it failed'); } });
server.addTool({ name: 'slow', description: 'Takes some time', annotations, parameters: z.object({}),
  execute: async (_, { reportProgress }) => {
    for (let progress = 1; progress <= 6; ++progress) {
      await wait(100);
      await reportProgress({ progress, total: 6 });
    }
    return 'done';
  } });
server.addResource({ uri: 'note://one', name: 'note', mimeType: 'text/plain', load: async () => ({ text: 'a note' }) });
server.addPrompt({ name: 'explain', description: 'Explains',
  arguments: [{ name: 'topic', description: 'What', required: true, complete: async () => ({ values: ['tools', 'tasks'] }) }],
  load: async ({ topic }) => `Explain ${topic}` });
await server.start(process.env.PORT
  ? { transportType: 'httpStream', httpStream: { port: Number(process.env.PORT), host: '127.0.0.1', endpoint: '/mcp' } }
  : { transportType: 'stdio' });
