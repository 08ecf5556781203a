// Express with express-oauth2-jwt-bearer, which knows nothing of MCP: the server writes its metadata itself, and says in
// the challenge where they are.
import express from "express";
import { auth, requiredScopes } from "express-oauth2-jwt-bearer";

import { issuer, metadata, port, resource, resourceMetadata, scope, sessionsOf } from "./served.mjs";

const app = express();
app.get(new URL(resourceMetadata).pathname, (_, response) => response.json({ resource, authorization_servers: [issuer],
  scopes_supported: [scope], bearer_methods_supported: ["header"] }));
// Without DPoP, whose challenge would be the last one, to which what is added belongs.
app.use("/mcp", auth({ issuer, audience: resource, jwksUri: metadata.jwks_uri, tokenSigningAlg: "RS256",
  dpop: { enabled: false } }), requiredScopes(scope));
app.use(express.json());
app.all("/mcp", sessionsOf("login-jwt-bearer"));
app.use((error, _request, response, next) => {
  if (!error.headers?.["WWW-Authenticate"]) return next(error);
  response.status(error.status)
    .set("WWW-Authenticate", `${error.headers["WWW-Authenticate"]}, resource_metadata="${resourceMetadata}"` +
      (error.headers["WWW-Authenticate"].includes("scope=") ? "" : `, scope="${scope}"`))
    .json({ error: error.code ?? "unauthorized" });
});
app.listen(port, "127.0.0.1");
