// What all protected servers here share: the metadata of the authorization server whose URL is their last word, and a
// small MCP server on the SDK 1.x. They listen at PORT, and show one tool.
import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

export const issuer = process.argv.at(-1);
export const port = Number(process.env.PORT);
export const origin = `http://127.0.0.1:${port}`;
export const resource = `${origin}/mcp`;
export const resourceMetadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
export const scope = "mcp";
export const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();

const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { cooldownDuration: 0 });

// What the SDKs' helpers know of a token; throws what `toError` makes of a bad one.
export async function verify(token, toError = (error) => error) {
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: resource });
    return { token, clientId: payload.client_id ?? "", scopes: (payload.scope ?? "").split(" ").filter(Boolean),
      expiresAt: payload.exp };
  } catch (error) {
    throw toError(error);
  }
}

export function makeServer(name) {
  const server = new McpServer({ name, version: "1.0.0" });
  server.registerTool("hello", { description: "Greets", annotations: { readOnlyHint: true } },
    async () => ({ content: [{ type: "text", text: "hello" }] }));
  return server;
}

// A handler of Express: a session of its own for each client.
export function sessionsOf(name) {
  const sessions = new Map();
  return async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport) });
      await makeServer(name).connect(transport);
    }
    await transport.handleRequest(request, response, request.body);
  };
}
