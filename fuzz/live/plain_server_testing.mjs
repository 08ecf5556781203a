// A small MCP server that shares no code with the rest, and uses no SDK: sound, as far as its author
// knows, so that whatever the fuzzer finds in it is the fuzzer's mistake.
//
//   node plain_server_testing.mjs [FOLDER]          over stdio; FOLDER is what it serves
//   node plain_server_testing.mjs --http [FOLDER]   prints its URL first
//   node plain_server_testing.mjs [--http] --roots  serves the root of its client, and until it knows
//                                                   that, or if it has none, where it was started
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';

const words = process.argv.slice(2);
const isHttp = words[0] === '--http';
if (isHttp) words.shift();
const asksForRoots = words[0] === '--roots';
if (asksForRoots) words.shift();
const home = fs.realpathSync(asksForRoots ? process.cwd() : words[0] || process.env.MCP_ASSAY_SANDBOX || process.cwd());
const revisions = ['2025-11-25', '2025-06-18'];
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const names = ['Ada', 'Alan', 'Barbara', 'Grace'];

class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
const invalid = (message) => new Refused(-32602, message);

// The part of JSON Schema that the tools below use. Returns what is wrong.
function wrongWith(schema, value, at = 'arguments') {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const fits = {
    object: isObject,
    string: typeof value === 'string',
    number: typeof value === 'number' && Number.isFinite(value),
    integer: Number.isInteger(value),
    boolean: typeof value === 'boolean',
  };
  if (!fits[schema.type]) return `${at}: not a ${schema.type}`;
  if (schema.enum && !schema.enum.includes(value)) return `${at}: not one of its values`;
  if (schema.minimum !== undefined && value < schema.minimum) return `${at}: too small`;
  if (schema.maximum !== undefined && value > schema.maximum) return `${at}: too large`;
  if (schema.type !== 'object') return null;
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) return `${at}.${name}: missing`;
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(schema.properties, name)) return `${at}: unknown member`;
    const wrong = wrongWith(schema.properties[name], value[name], `${at}.${name}`);
    if (wrong) return wrong;
  }
  return null;
}

// The text of a regular file below the root, links followed.
function readBelow(root, file) {
  const whole = fs.realpathSync(path.resolve(root, file));
  if (!whole.startsWith(root + path.sep) || !fs.statSync(whole).isFile()) throw new Error('not served');
  return fs.readFileSync(whole, 'utf8');
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const failed = (value) => ({ ...text(value), isError: true });
const readOnly = { readOnlyHint: true };
const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });

const tools = {
  echo: {
    description: 'Says a text again',
    schema: object({ text: { type: 'string' }, times: { type: 'integer', minimum: 1, maximum: 3 } }, ['text']),
    run: ({ text: said, times = 1 }) => text(said.repeat(times)),
  },
  add: {
    description: 'Adds two numbers',
    schema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    output: object({ sum: { type: 'number' } }, ['sum']),
    run: ({ a, b }) => {
      if (!Number.isFinite(a + b)) return failed('the sum is too large');
      return { ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } };
    },
  },
  read_file: {
    description: 'Reads a file of the folder that is served',
    schema: object({ path: { type: 'string' } }, ['path']),
    run: ({ path: file }, { root }) => {
      try {
        return text(readBelow(root, file));
      } catch {
        return failed('no such file');
      }
    },
  },
  color: {
    description: 'Names a color',
    schema: object({ of: { type: 'string', enum: ['sky', 'grass'] }, loud: { type: 'boolean' } }, ['of']),
    run: ({ of, loud = false }) => text((of === 'sky' ? 'blue' : 'green') + (loud ? '!' : '')),
  },
};

// One thing a page, so that there are cursors.
function page(items, key, { cursor }) {
  if (cursor !== undefined && typeof cursor !== 'string') throw invalid('cursor is not a string');
  const numbers = new Map(items.map((_, i) => [Buffer.from(`${key} ${i}`).toString('base64url'), i]));
  const at = cursor === undefined ? 0 : numbers.get(cursor);
  if (at === undefined || (cursor !== undefined && at === 0)) throw invalid('unknown cursor');
  const result = { [key]: items.slice(at, at + 1) };
  if (at + 1 < items.length) result.nextCursor = Buffer.from(`${key} ${at + 1}`).toString('base64url');
  return result;
}

function requireString(params, name) {
  if (typeof params[name] !== 'string') throw invalid(`${name} is not a string`);
  return params[name];
}

function listResources({ root }) {
  const files = fs.readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [
    { uri: 'plain://number/1', name: 'one', mimeType: 'text/plain' },
    ...files.slice(0, 5).map((entry) => ({
      uri: pathToFileURL(path.join(root, entry.name)).href,
      name: entry.name,
    })),
  ];
}

function readResource(uri, { root }) {
  const number = /^plain:\/\/number\/([0-9]{1,9})$/.exec(uri);
  if (number) return { contents: [{ uri, mimeType: 'text/plain', text: number[1] }] };
  try {
    if (uri.startsWith('file:')) return { contents: [{ uri, text: readBelow(root, fileURLToPath(uri)) }] };
  } catch {
    // As for all others.
  }
  throw new Refused(-32002, 'Resource not found');
}

function complete({ ref, argument }) {
  const isPair = typeof ref === 'object' && ref && typeof argument === 'object' && argument;
  if (!isPair || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw invalid('no ref, or no argument');
  }
  const isPrompt = ref.type === 'ref/prompt' && ref.name === 'greet';
  const isTemplate = ref.type === 'ref/resource' && ref.uri === 'plain://number/{number}';
  if (!isPrompt && !isTemplate) throw invalid('unknown ref');
  const values = isPrompt && argument.name === 'name' ? names.filter((n) => n.startsWith(argument.value)) : [];
  return { completion: { values, total: values.length, hasMore: false } };
}

const methods = {
  initialize: (params, session) => {
    const asked = requireString(params, 'protocolVersion');
    session.hasRoots = typeof params.capabilities?.roots === 'object';
    return {
      protocolVersion: revisions.includes(asked) ? asked : revisions[0],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      serverInfo: { name: 'plain', version: '1' },
    };
  },
  ping: () => ({}),
  'tools/list': (params) =>
    page(
      Object.entries(tools).map(([name, { description, schema, output }]) => ({
        name,
        description,
        inputSchema: schema,
        ...(output && { outputSchema: output }),
        annotations: readOnly,
      })),
      'tools',
      params,
    ),
  'tools/call': (params, session) => {
    const name = requireString(params, 'name');
    if (!Object.hasOwn(tools, name)) throw invalid('Unknown tool');
    const given = params.arguments ?? {};
    if (params.arguments === null) throw invalid('arguments are null');
    const wrong = wrongWith(tools[name].schema, given);
    return wrong ? failed(wrong) : tools[name].run(given, session);
  },
  'resources/list': (params, session) => page(listResources(session), 'resources', params),
  'resources/templates/list': (params) =>
    page([{ uriTemplate: 'plain://number/{number}', name: 'number' }], 'resourceTemplates', params),
  'resources/read': (params, session) => readResource(requireString(params, 'uri'), session),
  'prompts/list': (params) =>
    page([{ name: 'greet', arguments: [{ name: 'name', required: true }] }], 'prompts', params),
  'prompts/get': (params) => {
    if (requireString(params, 'name') !== 'greet') throw invalid('unknown prompt');
    const given = params.arguments;
    if (typeof given !== 'object' || !given || typeof given.name !== 'string') throw invalid('no name');
    if (Object.values(given).some((each) => typeof each !== 'string')) throw invalid('not a string');
    return { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${given.name}` } }] };
  },
  'completion/complete': complete,
  'logging/setLevel': (params) => {
    if (!levels.includes(params.level)) throw invalid('unknown level');
    return {};
  },
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const error = (id, code, message) => ({ jsonrpc: '2.0', id, error: { code, message } });

// What a client and we know of each other. `say` writes a message to it.
const newSession = (say) => ({ root: home, hasRoots: false, rootsAsked: 0, say });

function askForRoots(session) {
  session.say({ jsonrpc: '2.0', id: `roots-${++session.rootsAsked}`, method: 'roots/list' });
}

async function takeRoots(session, { result }) {
  try {
    session.root = await fs.promises.realpath(fileURLToPath(result.roots[0].uri));
  } catch {
    session.root = home;
  }
}

// What to answer; nothing where nothing is due. `bad`: it was no message.
function handle(bytes, session) {
  let message;
  try {
    message = JSON.parse(decoder.decode(bytes));
  } catch {
    return { bad: true, answer: error(null, -32700, 'Parse error') };
  }
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  const id = isObject ? message.id : undefined;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  const refuse = () => ({ bad: true, answer: error(hasId ? id : null, -32600, 'Invalid Request') });
  if (!isObject || message.jsonrpc !== '2.0') return refuse();
  if (message.method === undefined && hasId && ('result' in message || 'error' in message)) {
    if (asksForRoots && message.id === `roots-${session.rootsAsked}`) takeRoots(session, message);
    return {};
  }
  if (typeof message.method !== 'string' || ('id' in message && !hasId)) return refuse();
  if (!hasId) {
    if (asksForRoots && session.hasRoots && message.method === 'notifications/initialized') askForRoots(session);
    return { message };
  }
  try {
    const { method, params = {} } = message;
    if (typeof params !== 'object' || params === null || Array.isArray(params)) {
      throw invalid('params are no object');
    }
    if (!Object.hasOwn(methods, method)) throw new Refused(-32601, 'Method not found');
    return { message, answer: { jsonrpc: '2.0', id, result: methods[method](params, session) } };
  } catch (why) {
    if (!(why instanceof Refused)) throw why;
    return { message, answer: error(id, why.code, why.message) };
  }
}

function serveStdio() {
  let pieces = [];
  const session = newSession((message) => process.stdout.write(JSON.stringify(message) + '\n'));
  process.stdin.on('data', (chunk) => {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      const line = Buffer.concat([...pieces, chunk.subarray(begin, end)]);
      pieces = [];
      begin = end + 1;
      const { answer } = line.length > 0 ? handle(line, session) : {};
      if (answer) session.say(answer);
    }
    if (begin < chunk.length) pieces.push(chunk.subarray(begin));
  });
}

const sessions = new Map();
const mostBytes = 16 << 20;

// The status that refuses a request for its head; nothing where it is in order.
function refusal({ method, headers }) {
  const host = (headers.host ?? '').replace(/:[0-9]+$/, '');
  if (host !== '127.0.0.1' && host !== 'localhost') return 403;
  if (headers.origin !== undefined && !/^https?:\/\/(localhost|127\.0\.0\.1)(:[0-9]+)?$/.test(headers.origin)) return 403;
  if (method !== 'POST' && method !== 'DELETE' && !(method === 'GET' && asksForRoots)) return 405;
  const revision = headers['mcp-protocol-version'];
  if (revision !== undefined && !revisions.includes(revision)) return 400;
  if (method === 'DELETE') return null;
  if (method === 'GET') return (headers.accept ?? '').includes('text/event-stream') ? null : 406;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? '')) return 415;
  if (headers['content-encoding'] !== undefined) return 415;
  const accepted = headers.accept ?? '';
  const isAccepted = accepted.includes('application/json') && accepted.includes('text/event-stream');
  return isAccepted || accepted.includes('*/*') ? null : 406;
}

function answerHttp(request, response, body) {
  const end = (status, json, headers = {}) => {
    response.writeHead(status, { ...(json && { 'Content-Type': 'application/json' }), ...headers });
    response.end(json && JSON.stringify(json));
  };
  const session = request.headers['mcp-session-id'];
  const known = () => (session === undefined ? 400 : sessions.has(session) ? null : 404);
  if (request.method === 'DELETE') {
    const status = known() ?? 200;
    if (status === 200) {
      sessions.get(session).stream?.end();
      sessions.delete(session);
    }
    return end(status);
  }
  if (request.method === 'GET') {
    const status = known() ?? (sessions.get(session).stream ? 409 : 200);
    if (status !== 200) return end(status);
    sessions.get(session).stream = response;
    response.on('close', () => sessions.has(session) && (sessions.get(session).stream = undefined));
    return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  }
  const isBeginning = (message) => message?.method === 'initialize' && session === undefined;
  const here = sessions.get(session) ?? newSession((said) => here.stream?.write(`data: ${JSON.stringify(said)}\n\n`));
  const { bad, message, answer } = handle(body, here);
  if (bad) return end(400, answer);
  if (isBeginning(message)) {
    if (!answer?.result) return end(answer ? 200 : 202, answer);
    const made = randomUUID();
    sessions.set(made, here);
    return end(200, answer, { 'Mcp-Session-Id': made });
  }
  const status = known();
  if (status) return end(status);
  return end(answer ? 200 : 202, answer);
}

function serveHttp() {
  const server = http.createServer((request, response) => {
    const status = request.url.split('?')[0] === '/mcp' ? refusal(request) : 404;
    if (status) {
      response.writeHead(status, { Connection: 'close' }).end();
      return;
    }
    const pieces = [];
    let size = 0;
    request.on('data', (piece) => {
      size += piece.length;
      if (size <= mostBytes) pieces.push(piece);
    });
    request.on('end', () => {
      if (size > mostBytes) response.writeHead(413).end();
      else answerHttp(request, response, Buffer.concat(pieces));
    });
    request.on('error', () => response.destroy());
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

if (isHttp) serveHttp();
else serveStdio();
