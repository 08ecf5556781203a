// A client on the SDK 2.x with its own helpers.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const url = new URL(process.argv.at(-1));
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const redirectUri = "http://localhost:3000/callback";
const clients = new Map();
const kept = {};

const authProvider = {
  redirectUrl: redirectUri,
  clientMetadataUrl: "https://client.example/client.json",
  clientMetadata: { client_name: "interop-login", redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  state: () => (kept.state = crypto.randomUUID()),
  clientInformation: ({ issuer } = {}) => clients.get(issuer) ??
    (context.client_id && { client_id: context.client_id, client_secret: context.client_secret }),
  saveClientInformation: (client, { issuer } = {}) => { clients.set(issuer, client); },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state) => { kept.discovery = state; },
  discoveryState: () => kept.discovery,
  invalidateCredentials: (what) => {
    if (what === "all" || what === "client") clients.clear();
    if (what === "all" || what === "tokens") kept.tokens = undefined;
    if (what === "all" || what === "discovery") kept.discovery = undefined;
  },
  redirectToAuthorization: async (to) => {
    const answer = await fetch(to, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "http://localhost/");
    if (back.searchParams.get("state") !== kept.state) throw new Error("another state");
    kept.callback = back.searchParams;
  },
};

const client = new Client({ name: "interop-login-sdk-2", version: "1.0.0" });

// With a new transport each time, until a token is enough.
for (let tries = 0; ; ++tries) {
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      if (name === "test-tool") await client.callTool({ name, arguments: {} });
    }
    await transport.terminateSession();
    await client.close();
    break;
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || !kept.callback || tries === 3) throw error;
    await transport.finishAuth(kept.callback);
    kept.callback = undefined;
    await client.close();
  }
}
