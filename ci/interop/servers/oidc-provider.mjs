// An authorization server: oidc-provider. Its tokens are JWTs for whatever resource is asked for. It
// registers clients, has one with a secret, and takes whoever comes for alice. It listens at PORT.
import Provider from "oidc-provider";

const port = Number(process.env.PORT);
const scope = "mcp:use tools:text";
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: process.env.MCP_ASSAY_CLIENT_ID, client_secret: process.env.MCP_ASSAY_CLIENT_SECRET,
    grant_types: ["client_credentials"], redirect_uris: [], response_types: [],
    token_endpoint_auth_method: "client_secret_basic" }],
  clientDefaults: { token_endpoint_auth_method: "none" },
  scopes: scope.split(" "),
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } }),
    },
  },
});
// Where a person would type a name and agree.
provider.use(async (context, next) => {
  if (!context.path.startsWith("/interaction/")) return next();
  const { prompt, params, session } = await provider.interactionDetails(context.req, context.res);
  let result = { login: { accountId: "alice" } };
  if (prompt.name === "consent") {
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(scope);
    grant.addResourceScope(params.resource, scope);
    result = { consent: { grantId: await grant.save() } };
  }
  context.respond = false;
  await provider.interactionFinished(context.req, context.res, result, { mergeWithLastSubmission: true });
});
provider.listen(port, "127.0.0.1");
