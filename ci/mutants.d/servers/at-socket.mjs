// Serves each connection to a Unix socket as a session of its own: at-socket.mjs MODULE PATH, where createServer() of the module
// makes a server of the official SDK. One process for all sessions saves most of the time that a certification takes.
import { createServer as listen } from 'node:net';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const [module, path] = process.argv.slice(2);
const { createServer } = await import(module);
listen((socket) => {
  const { server, cleanup } = createServer();
  socket.on('error', () => {});
  socket.on('close', async () => {
    await server.close();
    cleanup?.();
  });
  server.connect(new StdioServerTransport(socket, socket));
}).listen(path, () => console.log('listening'));
