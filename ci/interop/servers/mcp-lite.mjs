// A server on mcp-lite, which shares no code with the official SDK and speaks HTTP only: at PORT.
import {
  InMemoryClientRequestAdapter,
  InMemorySessionAdapter,
  McpServer,
  StreamableHttpTransport,
} from "mcp-lite";

import { serve, wait } from "./http.mjs";

const port = Number(process.env.PORT);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const numbers = (names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "number" }])),
  required: names,
});
const server = new McpServer({ name: "interop-mcp-lite", version: "1.0.0" });
let extras = 0;

server.tool("add", {
  description: "Adds",
  inputSchema: numbers(["a", "b"]),
  outputSchema: numbers(["sum"]),
  handler: ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
});
server.tool("hello", { description: "Greets", handler: () => text("hello") });
server.tool("fail", { description: "Fails", handler: () => ({ ...text("it failed"), isError: true }) });
server.tool("throw", {
  description: "Throws",
  handler: () => {
    throw new Error("it threw");
  },
});
server.tool("slow", {
  description: "Takes some time",
  handler: async (_, context) => {
    for (let step = 1; step <= 6; ++step) {
      await wait(100);
      await context.progress?.({ progress: step, total: 6 });
    }
    return text("done");
  },
});
server.tool("ask", {
  description: "Asks the user",
  handler: async (_, context) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    return text(JSON.stringify(await context.elicit({ message: "Your name?", schema })));
  },
});
server.tool("grow", {
  description: "Adds a tool",
  handler: () => {
    server.tool(`extra_${++extras}`, { description: "Was added", handler: () => text("extra") });
    return text("grown");
  },
});
server.resource("note://one", { name: "note", mimeType: "text/plain" }, async (uri) =>
  ({ contents: [{ uri: uri.href, text: "a note", mimeType: "text/plain" }] }));
server.resource("note://by-id/{id}", { name: "notes" }, async (uri, { id }) =>
  ({ contents: [{ uri: uri.href, text: `note ${id}` }] }));
server.prompt("explain", {
  description: "Explains",
  arguments: [{ name: "topic", required: true }],
  handler: ({ topic }) =>
    ({ messages: [{ role: "user", content: { type: "text", text: `Explain ${topic}` } }] }),
});

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30000 }),
  allowedOrigins: [`http://127.0.0.1:${port}`],
});
const handler = transport.bind(server);
serve((request) => handler(request), port);
