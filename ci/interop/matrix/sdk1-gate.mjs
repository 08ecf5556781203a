// What the server on the SDK 1.x stands behind where CLOSED is set: it asks for a token, and the SDK's authorization
// server, in the same process, gives one to every client that registers. No user is asked.
import { randomUUID } from 'node:crypto';

import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import express from 'express';

const clients = new Map();
const codes = new Map();
const tokens = new Map();

function tokenFor(client, scopes, resource) {
  const token = randomUUID();
  tokens.set(token, { token, clientId: client.client_id, scopes, resource, expiresAt: Math.floor(Date.now() / 1000) + 600 });
  return { access_token: token, token_type: 'bearer', expires_in: 600, scope: scopes.join(' ') };
}

const provider = {
  clientsStore: {
    getClient: (id) => clients.get(id),
    registerClient(client) {
      clients.set(client.client_id, client);
      return client;
    },
  },
  async authorize(client, { redirectUri, state, scopes = [], resource, codeChallenge }, response) {
    const code = randomUUID();
    codes.set(code, { client, scopes, resource, codeChallenge });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    if (state !== undefined) back.searchParams.set('state', state);
    response.redirect(back.href);
  },
  async challengeForAuthorizationCode(_, code) { return codes.get(code)?.codeChallenge; },
  async exchangeAuthorizationCode(client, code) {
    const given = codes.get(code);
    if (given?.client.client_id !== client.client_id) throw new Error('no such code');
    codes.delete(code);
    return tokenFor(client, given.scopes, given.resource);
  },
  async exchangeRefreshToken() { throw new Error('no refresh tokens are given'); },
  async verifyAccessToken(token) {
    const known = tokens.get(token);
    if (!known) throw new InvalidTokenError('no such token');
    return known;
  },
};

// It calls itself by the name by which a client knows it.
const nameOf = (request) => `http://${request.headers.host}/mcp`;
const metadataOf = (request) => `http://${request.headers.host}/.well-known/oauth-protected-resource/mcp`;

export function behindGate(handle, port) {
  const issuer = `http://127.0.0.1:${port}/`;
  const app = express();
  app.get('/.well-known/oauth-protected-resource/mcp', (request, response) =>
    response.json({ resource: nameOf(request), authorization_servers: [issuer] }));
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(issuer) }));
  app.use('/mcp', (request, response, next) =>
    requireBearerAuth({ verifier: provider, resourceMetadataUrl: metadataOf(request) })(request, response, next));
  app.use('/mcp', (request, response) => {
    if (request.auth.resource?.href !== nameOf(request)) return response.status(403).end();
    return handle(request, response);
  });
  return app;
}
