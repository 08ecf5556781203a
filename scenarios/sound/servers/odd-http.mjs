// Servers whose HTTP is unusual: RFC 9110 and 9112 allow it, and the page on transports does not forbid
// it.

import {gzipSync} from 'node:zlib';

import {serve, traitOf} from './lib.mjs';
import {sleep} from './protocol.mjs';

const legacy = ['2025-03-26', '2025-06-18', '2025-11-25'];
const streaming = (more) => ({http: {answers: 'mixed', ...more}});

// Not ready for the first second after the first request: "Service Unavailable" until then.
function warmingUp() {
  let first;
  return streaming({
    gate(request, response, server) {
      first ??= Date.now();
      if (Date.now() - first > 1000) return false;
      server.reply(response, 503, undefined, {'Retry-After': '1'});
      return true;
    },
  });
}

// Sessions that were not used for so many milliseconds are gone.
function expiring(ms) {
  const used = new Map();
  return {
    revisions: legacy,
    http: {
      answers: 'mixed',
      gate(request, response, server) {
        for (const [id, session] of server.sessions) {
          const busy = session.running.size || session.listening?.connection;
          if (!busy && Date.now() - (used.get(id) ?? Date.now()) > ms) server.close(session);
        }
        used.set(request.headers['mcp-session-id'], Date.now());
        return false;
      },
    },
  };
}

// Some requests take a quarter of a second longer to arrive than others, whatever connection they come
// on: HTTP keeps no order between requests.
function uneven(which) {
  let turn = 0;
  return streaming({
    async gate(request) {
      if (which(request, turn++)) await sleep(250);
      return false;
    },
  });
}

// Takes only what the page says that a client sends.
function strict(request, response, server) {
  const {accept = '', host, origin} = request.headers;
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
  const wanted = request.method === 'POST' ? ['application/json', 'text/event-stream'] :
      request.method === 'GET' ? ['text/event-stream'] : [];
  const lists = (kind) => accept.includes(kind) || accept.includes('*/*') ||
      accept.includes(`${kind.split('/')[0]}/*`);
  if (origin !== undefined) server.reply(response, 403);
  else if (host !== `127.0.0.1:${server.port}`) server.reply(response, 421);
  else if (!wanted.every(lists)) server.reply(response, 406);
  else if (request.method === 'POST' && type !== 'application/json') server.reply(response, 415);
  else return false;
  request.resume();
  return true;
}

// Compressed where the client says that it can read that.
const gzip = {
  onServer: (server, own) => {
    const plain = own.reply.bind(own);
    own.reply = (response, status, body, headers = {}) => {
      const accepted = response.req.headers['accept-encoding'] ?? '';
      if (body === undefined || !/\bgzip\b/.test(accepted)) {
        return plain(response, status, body, headers);
      }
      const bytes = gzipSync(JSON.stringify(body, (_, value) =>
        typeof value === 'bigint' ? Number(value) : value));
      own.head(response, status, {
        'Content-Type': 'application/json', 'Content-Encoding': 'gzip',
        'Content-Length': `${bytes.length}`, ...headers,
      });
      return response.end(bytes);
    };
  },
};

// Interim responses come before the final one (RFC 9110, section 15.2).
function hints(request, response) {
  response.writeProcessing();
  response.writeEarlyHints({link: '</style.css>; rel=preload'});
  return false;
}

// Pages for people in place of errors without a body.
const pages = {
  onServer: (server, own) => {
    const plain = own.reply.bind(own);
    own.reply = (response, status, body, headers) => {
      if (status < 400 || (body !== undefined && body.id !== undefined)) {
        return plain(response, status, body, headers);
      }
      const page = `<!doctype html><title>${status}</title><h1>We are sorry</h1>`;
      own.head(response, status, {
        'Content-Type': 'text/html', 'Content-Length': `${page.length}`, ...headers});
      return response.end(page);
    };
  },
};

// Every error of JSON-RPC comes with 400, but for unknown methods of 2026-07-28, where 404 is right.
const errors400 = {
  onServer: (server, own) => {
    const plain = own.reply.bind(own);
    own.reply = (response, status, body, headers) =>
        plain(response, status === 200 && body?.error ? 400 : status, body, headers);
  },
};

// Browsers may ask, from the server's own origin.
function cors(request, response, server) {
  response.setHeader('Access-Control-Allow-Origin', `http://127.0.0.1:${server.port}`);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id');
  if (request.method !== 'OPTIONS') return false;
  server.reply(response, 204, undefined, {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE', 'Access-Control-Allow-Headers': '*'});
  return true;
}

// Large messages are refused before they are read.
function smallOnly(request, response, server) {
  if (Number(request.headers['content-length'] ?? 0) <= 65536) return false;
  server.reply(response, 413, undefined, {Connection: 'close'});
  return true;
}

serve(traitOf({
  'warming-up': warmingUp,
  'expiring': () => expiring(600),
  'uneven-latency': () => uneven((_, turn) => turn % 3 === 0),
  // Longer messages take longer (they are scanned on their way), and there are no streams: nothing shows
  // that a request has arrived but its response, and what is shorter overtakes it.
  'scanned': () => {
    const traits = uneven(({headers}) => Number(headers['content-length'] ?? 0) > 110);
    return {...traits, http: {...traits.http, answers: 'json', get: false}};
  },
  'strict': {http: {gate: strict}},
  'gzip': {http: gzip},
  'early-hints': streaming({gate: hints}),
  'html-errors': {http: pages},
  'errors-400': {http: errors400},
  'cors': streaming({gate: cors}),
  'small-only': streaming({gate: smallOnly}),
  'media-types': {http: {jsonType: 'Application/JSON ; Charset="UTF-8"'}},
  'many-headers': streaming({
    headers: {
      'Set-Cookie': ['a=1; Path=/; HttpOnly', 'b=2; SameSite=Strict', `c=${'x'.repeat(3000)}`],
      'X-Long': 'y'.repeat(5000), 'Server': '', 'Date': 'Thu, 01 Jan 1970 00:00:00 GMT',
    },
  }),
}));
