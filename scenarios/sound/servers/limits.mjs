// Servers that limit how much they are asked: "Servers MUST rate limit tool invocations" (Tools,
// Security Considerations); the transport pages leave open with which status or error.

import {RpcError} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

// A bucket that fills by so many tokens a second; each request takes one.
class Bucket {
  constructor(rate, burst) {
    Object.assign(this, {rate, burst, tokens: burst, then: Date.now()});
  }

  take() {
    const now = Date.now();
    this.tokens = Math.min(this.burst, this.tokens + (now - this.then) / 1000 * this.rate);
    this.then = now;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}

// HTTP says no before the message is read.
function statusLimit(rate, burst, refuse) {
  const bucket = new Bucket(rate, burst);
  return {
    http: {
      gate(request, response, server) {
        if (bucket.take()) return false;
        refuse(response, server);
        return true;
      },
    },
  };
}

const tooMany = {jsonrpc: '2.0', error: {code: 429, message: 'Too many requests'}};
const with429 = (headers, body) => (response, server) =>
    server.reply(response, 429, body, headers);

// JSON-RPC says no, over any transport. `which` chooses the requests that count: not pings, which
// have to be answered with an empty result (Ping, Behavior Requirements).
function errorLimit(rate, burst, {code, data, which = (method) => method !== 'ping'}) {
  const bucket = new Bucket(rate, burst);
  return {
    before({method}) {
      if (!which(method) || bucket.take()) return;
      throw new RpcError(code, 'Rate limit exceeded', data);
    },
  };
}

// At most so many sessions; one ends with DELETE, or when it was not used for two seconds.
function sessionLimit(count, refuse) {
  const used = new Map();
  return {
    http: {
      gate(request) {
        used.set(request.headers['mcp-session-id'], Date.now());
        return false;
      },
      admit(request, response, server, message) {
        for (const session of server.sessions.values()) {
          const busy = [...session.streams.values()].some(({connection}) => connection);
          const idle = Date.now() - (used.get(session.id) ?? session.begun);
          if (!busy && idle > 2000) server.close(session);
        }
        if (server.sessions.size < count) return false;
        refuse(response, server, message);
        return true;
      },
    },
  };
}

const legacy = {revisions: ['2025-03-26', '2025-06-18', '2025-11-25']};
const refusal = (code) => (response, server, message) =>
    server.refuse(response, 200, code, 'Too many sessions', message.id);

serve(traitOf({
  '429-body': () => statusLimit(20, 10, with429({}, tooMany)),
  '429-bare': () => statusLimit(20, 10, with429()),
  '429-retry-after': () => statusLimit(15, 30, with429({'Retry-After': '1'}, {error: 'slow down'})),
  '503-close': () => statusLimit(25, 10, (response, server) =>
      server.reply(response, 503, undefined, {'Connection': 'close', 'Retry-After': '1'})),
  'error-legacy': () => ({...legacy, ...errorLimit(20, 10, {code: -32000})}),
  'error-429': () => errorLimit(20, 10, {code: 429, data: {retryAfterMs: 100}}),
  'error-internal': () => errorLimit(25, 10, {code: -32603}),
  'error-tools': () => errorLimit(3, 3, {
    code: -31029, data: 'try again later', which: (method) => method === 'tools/call'}),
  'five-a-second': () => errorLimit(5, 5, {code: 4290}),
  'sessions-1-error': () => ({...legacy, ...sessionLimit(1, refusal(-32000))}),
  'sessions-2-429': () => ({...legacy, ...sessionLimit(2, with429({}, tooMany))}),
  'sessions-4-503': () => ({...legacy, ...sessionLimit(4, (response, server) =>
      server.reply(response, 503))}),
  // More connections than these are closed at once.
  'connections-3': {http: {onServer: (server) => { server.maxConnections = 3; }}},
}));
