// How a client on an SDK logs in without a person: the authorization server does not ask, so its redirect has the code.
export function loginOf(name) {
  const kept = {};
  return {
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadata: {
      client_name: name,
      redirect_uris: ['http://localhost:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => (kept.state = crypto.randomUUID()),
    clientInformation: () => kept.client,
    saveClientInformation: (client) => { kept.client = client; },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => { kept.tokens = tokens; },
    saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
    codeVerifier: () => kept.verifier,
    async redirectToAuthorization(to) {
      const answer = await fetch(to, { redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? 'http://localhost/');
      if (back.searchParams.get('state') !== kept.state) throw new Error('another state came back');
      kept.params = back.searchParams;
    },
    codeOfRedirect() {
      const code = kept.params?.get('code');
      if (!code) throw new Error(`no code came back: ${kept.params}`);
      return code;
    },
  };
}

// Connects, and once more with a token where the server asks for one. `open()` gives a new transport.
export async function connectWithLogin(client, open, login) {
  const transport = open();
  try {
    await client.connect(transport);
    return transport;
  } catch (error) {
    if (error?.constructor?.name !== 'UnauthorizedError') throw error;
    await transport.finishAuth(login.codeOfRedirect());
  }
  await client.close();
  const again = open();
  await client.connect(again);
  return again;
}
