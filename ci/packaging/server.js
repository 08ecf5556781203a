// A small server without any package, over stdio or (--http, which prints its URL) Streamable HTTP: what ci/package-test
// certifies. With --bad-ping it breaks one rule.
'use strict';
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const add = {
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  annotations: { readOnlyHint: true },
};
let version;

const fail = (code, message) => ({ error: { code, message } });
const text = (words, isError) => ({ result: { content: [{ type: 'text', text: words }], isError } });

const methods = {
  initialize: (params) => {
    version = versions.includes(params.protocolVersion) ? params.protocolVersion : versions.at(-1);
    return {
      result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' } },
    };
  },
  ping: () => ({ result: process.argv.includes('--bad-ping') ? { pong: true } : {} }),
  'tools/list': (params) => {
    if (params.cursor !== undefined) return fail(-32602, 'there is one page only');
    const { annotations, ...older } = add;
    return { result: { tools: [version === '2024-11-05' ? older : add] } };
  },
  'tools/call': ({ name, arguments: values = {} }) => {
    if (name !== add.name) return fail(-32602, `there is no tool ${name}`);
    if (typeof values.a !== 'number' || typeof values.b !== 'number') return text('a and b have to be numbers', true);
    return text(String(values.a + values.b), false);
  },
};

const isResponse = (message) =>
  typeof message === 'object' && message !== null && ('result' in message || 'error' in message);

// What one message is answered with; null for nothing.
function answer(message) {
  if (isResponse(message)) return null;
  const isRequest = typeof message === 'object' && message !== null && message.jsonrpc === '2.0' &&
    typeof message.method === 'string' && ['string', 'number', 'undefined'].includes(typeof message.id);
  if (!isRequest) return { jsonrpc: '2.0', id: null, ...fail(-32600, 'not a request') };
  if (message.id === undefined) return null;
  const method = Object.hasOwn(methods, message.method) && methods[message.method];
  const params = message.params ?? {};
  const outcome = !method ? fail(-32601, 'unknown method')
    : typeof params !== 'object' || Array.isArray(params) ? fail(-32602, 'params have to be an object')
      : method(params);
  return { jsonrpc: '2.0', id: message.id, ...outcome };
}

function respond(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return { jsonrpc: '2.0', id: null, ...fail(-32700, 'not JSON') };
  }
  if (!Array.isArray(message) || version !== '2025-03-26') return answer(message);
  if (message.length === 0) return answer(null);
  const answers = message.map(answer).filter(Boolean);
  return answers.length > 0 ? answers : null;
}

function overStdio() {
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const out = respond(line);
    if (out) console.log(JSON.stringify(out));
  });
}

// Without sessions and streams of its own: each POST is answered at once.
function overHttp() {
  const server = require('http').createServer((request, response) => {
    const end = (status, body) => {
      response.writeHead(status, body ? { 'content-type': 'application/json' } : { allow: 'POST' });
      response.end(body && JSON.stringify(body));
    };
    const { origin, 'mcp-protocol-version': named } = request.headers;
    if (origin !== undefined && !/^https?:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin)) return end(403);
    if (request.method !== 'POST') return end(405);
    if (named !== undefined && !versions.includes(named)) return end(400);
    let text = '';
    request.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => {
      const out = respond(text);
      end(out === null ? 202 : out.error && out.id === null ? 400 : 200, out);
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

if (process.argv.includes('--http')) overHttp();
else if (require.main === module || process.argv[1] === undefined) overStdio();
module.exports = { respond };
