// mcp-auth, which makes metadata and challenges.
import express from "express";
import { MCPAuth, fetchServerConfig } from "mcp-auth";

import { issuer, port, resource, scope, sessionsOf } from "./served.mjs";

const server = await fetchServerConfig(issuer, { type: "oauth" });
const mcpAuth = new MCPAuth({ protectedResources: { metadata: { resource, authorizationServers: [server],
  scopesSupported: [scope], bearerMethodsSupported: ["header"] } } });
const app = express();
app.use(mcpAuth.protectedResourceMetadataRouter());
app.use("/mcp", mcpAuth.bearerAuth("jwt", { resource, audience: resource, requiredScopes: [scope] }));
app.use(express.json());
app.all("/mcp", sessionsOf("login-mcp-auth"));
app.listen(port, "127.0.0.1");
