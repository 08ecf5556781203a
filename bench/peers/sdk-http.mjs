// The same server over Streamable HTTP, with JSON answers and sessions, on Node's own HTTP server: no
// framework stands between the SDK and the wire.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { addFixtures } from "./sdk-fixtures.mjs";

const transports = new Map();

async function newTransport() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  transport.onclose = () => transports.delete(transport.sessionId);
  const server = new McpServer({ name: "sdk-http", version: "1.0.0" });
  addFixtures(server);
  await server.connect(transport);
  return transport;
}

const http = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  const transport = id ? transports.get(id) : await newTransport();
  if (!transport) {
    response.writeHead(404).end();
    return;
  }
  await transport.handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`));
