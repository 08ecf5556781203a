// Serves once, over stdio: over-stdio.mjs MODULE, where createServer() of the module makes a server of the official SDK.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const { createServer } = await import(process.argv[2]);
await createServer().server.connect(new StdioServerTransport());
