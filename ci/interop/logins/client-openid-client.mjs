// A client on openid-client.
import * as openid from "openid-client";

import { clientName, redirectUri, tour } from "./tour.mjs";

const insecure = { execute: [openid.allowInsecureRequests] };

function configure(server, { client_id: id, client_secret: secret }) {
  const configuration = new openid.Configuration(server, id, {}, secret ? openid.ClientSecretBasic(secret) : openid.None());
  openid.allowInsecureRequests(configuration);
  return configuration;
}

await tour({
  // The library makes one URL of an issuer, and MCP has several tried: it is given what stands at this one.
  async discover(url, issuer) {
    const algorithm = url.includes("oauth-authorization-server") ? "oauth2" : "oidc";
    const configuration = await openid.discovery(new URL(issuer), "unknown", undefined, openid.None(), {
      ...insecure, algorithm, [openid.customFetch]: (_, options) => fetch(url, options) });
    return configuration.serverMetadata();
  },

  async register(server) {
    const configuration = await openid.dynamicClientRegistration(new URL(server.issuer), { client_name: clientName,
      redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
      token_endpoint_auth_method: "none" }, openid.None(), { ...insecure,
      [openid.customFetch]: (url, options) => options.method === "GET" ? Response.json(server) : fetch(url, options) });
    return configuration.clientMetadata();
  },

  async authorize(server, client, { resource, scope }) {
    const configuration = configure(server, client);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(configuration, { redirect_uri: redirectUri, resource, state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
      ...(scope ? { scope } : {}) });
    const finish = (callback) => openid.authorizationCodeGrant(configuration, callback,
      { pkceCodeVerifier, expectedState }, { resource });
    return { url, finish };
  },

  refresh: (server, client, token, more) => openid.refreshTokenGrant(configure(server, client), token, more),
});
