// The SDK 2.x with its own helpers for Express: both eras.
import { createMcpExpressApp, mcpAuthMetadataRouter, requireBearerAuth } from "@modelcontextprotocol/express";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, OAuthError, OAuthErrorCode, createMcpHandler } from "@modelcontextprotocol/server";

import { metadata, port, resource, resourceMetadata, scope, verify } from "./served.mjs";

function makeServer() {
  const server = new McpServer({ name: "login-sdk-2", version: "1.0.0" });
  server.registerTool("hello", { description: "Greets", annotations: { readOnlyHint: true } },
    async () => ({ content: [{ type: "text", text: "hello" }] }));
  return server;
}

const app = createMcpExpressApp();
app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: new URL(resource), scopesSupported: [scope] }));
const verifyAccessToken = (token) => verify(token, (error) => new OAuthError(OAuthErrorCode.InvalidToken, error.message));
app.use("/mcp", requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: [scope],
  resourceMetadataUrl: resourceMetadata }));
const handle = toNodeHandler(createMcpHandler(() => makeServer()));
app.all("/mcp", (request, response) => handle(request, response, request.body));
app.listen(port, "127.0.0.1");
