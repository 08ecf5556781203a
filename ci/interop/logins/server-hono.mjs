// Hono with its transport and its helpers for metadata and tokens.
import { serve } from "@hono/node-server";
import { StreamableHTTPTransport } from "@hono/mcp";
import { bearerAuth, simpleMcpAuthRouter } from "@hono/mcp/auth";
import { Hono } from "hono";

import { issuer, makeServer, port, resource, resourceMetadata, scope, verify } from "./served.mjs";

const app = new Hono();
app.route("/", simpleMcpAuthRouter({ issuer, resourceServerUrl: new URL(resource), scopesSupported: [scope] }));
const challenge = (error) =>
  `Bearer ${error ? `error="${error}", ` : ""}resource_metadata="${resourceMetadata}", scope="${scope}"`;
app.use("/mcp", bearerAuth({
  verifyToken: async (token) => (await verify(token).catch(() => undefined))?.scopes.includes(scope) ?? false,
  noAuthenticationHeader: { wwwAuthenticateHeader: challenge() },
  invalidToken: { wwwAuthenticateHeader: challenge("invalid_token") },
}));
// Without sessions: a server for each request.
app.all("/mcp", async (context) => {
  const transport = new StreamableHTTPTransport({ enableJsonResponse: true });
  await makeServer("login-hono").connect(transport);
  return transport.handleRequest(context);
});
serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
