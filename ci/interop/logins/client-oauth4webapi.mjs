// A client on oauth4webapi.
import * as oauth from "oauth4webapi";

import { clientName, redirectUri, tour } from "./tour.mjs";

const insecure = { [oauth.allowInsecureRequests]: true };
const authentication = (client) => client.client_secret ? oauth.ClientSecretBasic(client.client_secret) : oauth.None();

await tour({
  async discover(url, issuer) {
    return oauth.processDiscoveryResponse(new URL(issuer), await fetch(url));
  },

  async register(server) {
    const response = await oauth.dynamicClientRegistrationRequest(server, { client_name: clientName,
      redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
      token_endpoint_auth_method: "none" }, insecure);
    return oauth.processDynamicClientRegistrationResponse(response);
  },

  async authorize(server, client, { resource, scope }) {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint);
    for (const [name, value] of Object.entries({ client_id: client.client_id, redirect_uri: redirectUri,
      response_type: "code", code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256", state, resource })) url.searchParams.set(name, value);
    if (scope) url.searchParams.set("scope", scope);
    const finish = async (callback) => {
      const parameters = oauth.validateAuthResponse(server, client, callback, state);
      const response = await oauth.authorizationCodeGrantRequest(server, client, authentication(client), parameters,
        redirectUri, verifier, { ...insecure, additionalParameters: { resource } });
      return oauth.processAuthorizationCodeResponse(server, client, response);
    };
    return { url, finish };
  },

  async refresh(server, client, token, additionalParameters) {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication(client), token,
      { ...insecure, additionalParameters });
    return oauth.processRefreshTokenResponse(server, client, response);
  },
});
