// A client on @badgateway/oauth2-client, which neither reads the metadata of an issuer that it is to compare, nor
// registers: the client does both.
import { OAuth2Client, generateCodeVerifier } from "@badgateway/oauth2-client";

import { clientName, redirectUri, tour } from "./tour.mjs";

const clientOf = (server, { client_id: clientId, client_secret: clientSecret }) => new OAuth2Client({ clientId, clientSecret,
  authorizationEndpoint: server.authorization_endpoint, tokenEndpoint: server.token_endpoint,
  authenticationMethod: clientSecret ? "client_secret_basic" : undefined });
const tokensOf = ({ accessToken, refreshToken }) => ({ access_token: accessToken, refresh_token: refreshToken ?? undefined });

await tour({
  async discover(url, issuer) {
    const server = await (await fetch(url)).json();
    if (server.issuer !== issuer) throw new Error("these are the metadata of another issuer");
    return server;
  },

  async register(server) {
    const response = await fetch(server.registration_endpoint, { method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_name: clientName, redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" }) });
    if (!response.ok) throw new Error(`registration was answered with ${response.status}`);
    return response.json();
  },

  async authorize(server, client, { resource, scope }) {
    const { authorizationCode } = clientOf(server, client);
    const codeVerifier = await generateCodeVerifier();
    const state = crypto.randomUUID();
    const url = await authorizationCode.getAuthorizeUri({ redirectUri, state, codeVerifier, resource,
      scope: scope ? scope.split(" ") : undefined });
    const finish = async (callback) => {
      const issuer = callback.searchParams.get("iss");
      const isMissing = server.authorization_response_iss_parameter_supported && issuer === null;
      if (isMissing || (issuer !== null && issuer !== server.issuer)) throw new Error("the answer is of another issuer");
      return tokensOf(await authorizationCode.getTokenFromCodeRedirect(callback, { redirectUri, state, codeVerifier, resource }));
    };
    return { url, finish };
  },

  async refresh(server, client, refreshToken, { resource }) {
    const token = { accessToken: "", refreshToken, expiresAt: null };
    return tokensOf(await clientOf(server, client).refreshToken(token, { resource }));
  },
});
