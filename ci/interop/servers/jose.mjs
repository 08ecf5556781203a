// A protected server on the official TypeScript SDK 1.x, which verifies its tokens with jose by the keys
// of the authorization server whose URL is its last word. It listens at PORT.
import { randomUUID } from "node:crypto";
import express from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";

const issuer = process.argv.at(-1);
const port = Number(process.env.PORT);
const origin = `http://127.0.0.1:${port}`;
const resource = `${origin}/mcp`;
const place = "/.well-known/oauth-protected-resource/mcp";

const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { cooldownDuration: 0 });
const verifier = {
  async verifyAccessToken(token) {
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience: resource });
      return { token, clientId: payload.client_id ?? "", scopes: (payload.scope ?? "").split(" ").filter(Boolean),
        expiresAt: payload.exp };
    } catch (error) {
      throw new InvalidTokenError(error.message);
    }
  },
};

const sessions = new Map();
const app = express();
app.get(place, (_, response) => response.json({ resource, authorization_servers: [issuer],
  scopes_supported: ["mcp"], bearer_methods_supported: ["header"] }));
app.use("/mcp", requireBearerAuth({ verifier, requiredScopes: ["mcp"], resourceMetadataUrl: origin + place }));
app.use(express.json());
app.all("/mcp", async (request, response) => {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    const server = new McpServer({ name: "interop-jose", version: "1.0.0" });
    server.registerTool("hello", { description: "Greets", annotations: { readOnlyHint: true } },
      async () => ({ content: [{ type: "text", text: "hello" }] }));
    transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport) });
    await server.connect(transport);
  }
  await transport.handleRequest(request, response, request.body);
});
app.listen(port, "127.0.0.1");
