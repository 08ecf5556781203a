// An authorization server: the router of the SDK 1.x with the provider of its examples, which logs everyone in. It listens
// at PORT.
import express from "express";
import { mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { DemoInMemoryAuthProvider } from "@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js";

const issuerUrl = new URL(`http://127.0.0.1:${process.env.PORT}`);
const app = express();
app.use(mcpAuthRouter({ provider: new DemoInMemoryAuthProvider(), issuerUrl, scopesSupported: ["mcp:tools"],
  authorizationOptions: { rateLimit: false }, tokenOptions: { rateLimit: false },
  clientRegistrationOptions: { rateLimit: false } }));
app.listen(Number(process.env.PORT), "127.0.0.1");
