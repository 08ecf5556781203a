// What the clients here that stand on OAuth libraries share: the messages of MCP, and what its authorization page adds to
// OAuth. The library does the rest: it reads the metadata of authorization servers, registers, makes requests, checks the
// answers. Calling convention of the official suite: the URL is the last word.
//
// A library is an object:
//   discover(url, issuer)                 the metadata at that URL, or throws
//   register(server)                      what identifies the client, by dynamic registration
//   authorize(server, client, request)    { url, finish(callback) }; finish gives the tokens
//   refresh(server, client, token, more)  new tokens
export const redirectUri = "http://localhost:3000/callback";
export const clientName = "interop-login";
const documentUrl = "https://client.example/client.json";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const offered = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? "2025-11-25";

class Login {
  constructor(url, library) {
    this.url = url;
    this.library = library;
    this.scopes = new Set();
    this.clients = new Map();
  }

  // After a 401 or 403. Throws where no token can be had.
  async react(response) {
    const challenge = readChallenge(response.headers.get("www-authenticate") ?? "");
    const isNarrow = response.status === 403;
    if (isNarrow && challenge.error !== "insufficient_scope") throw new Error("forbidden");
    await this.learn(challenge);
    const more = { resource: this.metadata.resource };
    if (!isNarrow && this.tokens?.refresh_token) {
      const old = this.tokens;
      this.tokens = undefined;
      this.tokens = await this.library.refresh(this.server, await this.client(), old.refresh_token, more).catch(() => undefined);
      if (this.tokens) {
        this.tokens.refresh_token ??= old.refresh_token;
        return;
      }
    }
    const wanted = (challenge.scope ?? this.metadata.scopes_supported?.join(" ") ?? "").split(" ").filter(Boolean);
    for (const scope of wanted) this.scopes.add(scope);
    const request = { ...more, scope: [...this.scopes].join(" ") };
    const { url, finish } = await this.library.authorize(this.server, await this.client(), request);
    this.tokens = await finish(await follow(url));
  }

  // Where tokens are to be had, and for what.
  async learn(challenge) {
    const { origin, pathname } = new URL(this.url);
    const path = pathname === "/" ? "" : pathname;
    const places = challenge.resource_metadata ? [challenge.resource_metadata] :
      [`${origin}/.well-known/oauth-protected-resource${path}`, `${origin}/.well-known/oauth-protected-resource`];
    for (const place of places) {
      const metadata = await readJson(place);
      if (!metadata?.authorization_servers?.length) continue;
      if (!isWithin(this.url, metadata.resource)) throw new Error(`these metadata are of ${metadata.resource}`);
      this.metadata = metadata;
      const issuer = metadata.authorization_servers[0];
      if (this.server?.issuer !== issuer) {
        this.server = await this.find(issuer);
        this.tokens = undefined;
      }
      return;
    }
    throw new Error("there are no metadata of the resource");
  }

  async find(issuer) {
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, "");
    const known = (name) => `${origin}/.well-known/${name}${path}`;
    const places = [known("oauth-authorization-server"), known("openid-configuration")];
    if (path) places.push(`${origin}${path}/.well-known/openid-configuration`);
    let last;
    for (const place of places) {
      if (!(await fetch(place, { method: "GET" })).ok) continue;
      try {
        const server = await this.library.discover(place, issuer);
        if (!server.code_challenge_methods_supported?.includes("S256")) throw new Error("S256 is not supported");
        return server;
      } catch (error) {
        last = error;
      }
    }
    throw last ?? new Error("there are no metadata of the authorization server");
  }

  // One for each authorization server.
  async client() {
    const { issuer } = this.server;
    if (!this.clients.has(issuer)) this.clients.set(issuer, await this.identify());
    return this.clients.get(issuer);
  }

  async identify() {
    if (context.client_id) return { client_id: context.client_id, client_secret: context.client_secret };
    if (this.server.client_id_metadata_document_supported) return { client_id: documentUrl };
    return this.library.register(this.server);
  }
}

async function readJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : undefined;
}

function isWithin(url, resource) {
  const of = new URL(resource);
  const here = new URL(url);
  return here.origin === of.origin && (of.pathname === "/" || here.pathname === of.pathname ||
    here.pathname.startsWith(of.pathname.replace(/\/?$/, "/")));
}

// The parameters of the Bearer challenge, which may stand after others.
function readChallenge(field) {
  const parameters = {};
  let scheme = "";
  for (const [, name, token, quoted, bare] of field.matchAll(/(?:([\w-]+)\s+)?([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)) {
    if (name) scheme = name.toLowerCase();
    if (scheme === "bearer") parameters[token.toLowerCase()] = quoted?.replace(/\\(.)/g, "$1") ?? bare;
  }
  return parameters;
}

// Where a person would log in: the server redirects to the client.
async function follow(url) {
  const answer = await fetch(url, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (!location?.startsWith(redirectUri)) throw new Error(`the login was answered with ${answer.status}`);
  return new URL(location);
}

class Session {
  constructor(url, library) {
    this.url = url;
    this.login = new Login(url, library);
    this.headers = {};
    this.ids = 0;
  }

  async send(method, message) {
    for (let tries = 0; ; ++tries) {
      const headers = { ...this.headers, Accept: "application/json, text/event-stream" };
      if (message) headers["Content-Type"] = "application/json";
      if (this.login.tokens) headers.Authorization = `Bearer ${this.login.tokens.access_token}`;
      const response = await fetch(this.url, { method, headers, redirect: "error",
        body: message && JSON.stringify({ jsonrpc: "2.0", ...message }) });
      if (![401, 403].includes(response.status) || tries === 3) return response;
      await response.body?.cancel();
      await this.login.react(response);
    }
  }

  async request(method, params = {}) {
    const id = ++this.ids;
    const response = await this.send("POST", { id, method, params });
    if (!response.ok) throw new Error(`${method} was answered with ${response.status}`);
    const type = response.headers.get("content-type") ?? "";
    const messages = type.startsWith("text/event-stream") ? readEvents(await response.text()) : [await response.json()];
    const answer = messages.find((each) => each.id === id);
    if (!answer?.result) throw new Error(`${method}: ${answer?.error?.message ?? "no answer"}`);
    const session = response.headers.get("mcp-session-id");
    if (session) this.headers["Mcp-Session-Id"] = session;
    return answer.result;
  }
}

const readEvents = (text) => text.split(/\r?\n\r?\n/)
  .map((event) => event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n"))
  .filter((data) => data.trim()).map((data) => JSON.parse(data));

export async function tour(library) {
  const session = new Session(process.argv.at(-1), library);
  const { protocolVersion } = await session.request("initialize",
    { protocolVersion: offered, capabilities: {}, clientInfo: { name: clientName, version: "1.0.0" } });
  session.headers["MCP-Protocol-Version"] = protocolVersion;
  await session.send("POST", { method: "notifications/initialized" });
  const { tools } = await session.request("tools/list");
  for (const { name } of tools) {
    if (name === "test-tool") await session.request("tools/call", { name, arguments: {} });
  }
  if (session.headers["Mcp-Session-Id"]) await session.send("DELETE");
}
