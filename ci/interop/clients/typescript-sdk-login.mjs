// A client on the TypeScript SDK 1.x that logs in, under the official suite's calling convention: it makes the
// authorization request itself, and reads the code from the redirect.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const url = new URL(process.argv[2]);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const kept = { state: 0 };
if (context.client_id) {
  kept.client = { client_id: context.client_id, client_secret: context.client_secret };
}

const authProvider = {
  redirectUrl: 'http://localhost:3000/callback',
  clientMetadataUrl: 'https://client.example/client.json',
  clientMetadata: {
    client_name: 'typescript-sdk-login',
    redirect_uris: ['http://localhost:3000/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  },
  state: () => (kept.state = crypto.randomUUID()),
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: async (to) => {
    const answer = await fetch(to, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? 'http://localhost/');
    if (back.searchParams.get('state') !== kept.state) throw new Error('another state');
    kept.code = back.searchParams.get('code');
  },
};

const client = new Client({ name: 'typescript-sdk-login', version: '1' });

// With a new transport each time, until a token is enough.
async function withLogin(step) {
  for (let tries = 0; ; ++tries) {
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    try {
      await client.connect(transport);
      await step();
      await transport.terminateSession();
      return await client.close();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !kept.code || tries === 3) throw error;
      await transport.finishAuth(kept.code);
      kept.code = undefined;
      await client.close();
    }
  }
}

await withLogin(async () => {
  const { tools } = await client.listTools();
  for (const tool of tools) {
    if (tool.name === 'test-tool') await client.callTool({ name: tool.name, arguments: {} });
  }
});
