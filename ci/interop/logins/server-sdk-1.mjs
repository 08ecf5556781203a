// The SDK 1.x with its own helpers: metadata and Bearer tokens.
import express from "express";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";

import { metadata, port, resource, resourceMetadata, scope, sessionsOf, verify } from "./served.mjs";

const app = express();
app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: new URL(resource), scopesSupported: [scope] }));
const verifyAccessToken = (token) => verify(token, (error) => new InvalidTokenError(error.message));
app.use("/mcp", requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: [scope],
  resourceMetadataUrl: resourceMetadata }));
app.use(express.json());
app.all("/mcp", sessionsOf("login-sdk-1"));
app.listen(port, "127.0.0.1");
