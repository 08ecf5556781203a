// A server that means harm: node server.mjs TRAIT [PORT]. Without a port it speaks stdio, otherwise Streamable HTTP. It answers what it
// is asked, in any revision, and does beside it what its trait says.
import { createServer } from 'node:http';

const kMegabyte = 1 << 20;
const big = (size, letter = 'x') => letter.repeat(size);
const named = (name, description = 'Does it') => ({ name, description, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
const numbered = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const nested = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

// What goes out without end: each call gives the next piece. `say` takes text, which is framed by the transport where it is a message.
const note = (params) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
const kFloods = {
  'blank-lines': () => '\n'.repeat(4096),
  'garbage': () => `${big(997, '\u0000')}\n`.repeat(8),
  'endless-line': () => big(kMegabyte),
  'logs': () => `${note({ level: 'info', data: 'at work' })}\n`.repeat(64),
  'big-logs': () => `${note({ level: 'info', data: big(kMegabyte) })}\n`,
  'progress': () => `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'none', progress: 1 } })}\n`.repeat(64),
  'questions': () => numbered(64, () => `${JSON.stringify({ jsonrpc: '2.0', id: `q${++asked}`, method: 'ping' })}\n`).join(''),
  'odd-questions': () => numbered(16, () => `${JSON.stringify({ jsonrpc: '2.0', id: `q${++asked}`, method: `odd/${big(200)}${asked}` })}\n`).join(''),
  'answers': () => numbered(64, () => `${JSON.stringify({ jsonrpc: '2.0', id: `a${++asked}`, result: {} })}\n`).join(''),
  'errors': () => numbered(64, () => `${JSON.stringify({ jsonrpc: '2.0', error: { code: -1, message: `odd ${++asked}` } })}\n`).join(''),
};
let asked = 0;

const kTools = {
  'many-tools': () => numbered(10_000, (i) => named(`odd name ${i} \u202e<b>&"'${big(40)}`)),
  'long-names': () => numbered(200, (i) => named(`${i}${big(100_000)}`)),
  'long-descriptions': () => numbered(40, (i) => named(`tool${i}`, big(kMegabyte))),
  'odd-schemas': () => numbered(2_000, (i) => ({ ...named(`tool${i}`), inputSchema: { type: 'odd', [`x${i}`]: big(2_000) } })),
  'deep-schemas': () => numbered(50, (i) => ({ ...named(`tool${i}`), inputSchema: { type: 'object', enum: nested(2_000) } })),
  'many-annotations': () => numbered(3_000, (i) => ({ ...named(`tool${i}`), annotations: { readOnlyHint: 'yes', title: i } })),
};
const kResults = {
  'big-results': (method) => method === 'tools/call' ? { content: [{ type: 'text', text: big(32 * kMegabyte) }] } : undefined,
  'many-blocks': (method) => method === 'tools/call' ? { content: numbered(100_000, () => ({ type: 'odd', text: 1 })) } : undefined,
  'endless-pages': (method, params) => method === 'tools/list'
      ? { tools: numbered(50, (i) => named(`t${params?.cursor ?? ''}${i}`)), nextCursor: `${Number(params?.cursor ?? 0) + 1}` } : undefined,
  'long-cursors': (method, params) => method === 'tools/list'
      ? { tools: [named(`t${(params?.cursor ?? '').length}`)], nextCursor: `${params?.cursor ?? ''}${big(100_000)}` } : undefined,
};
const has_error = { 'long-errors': () => ({ code: -32603, message: big(8 * kMegabyte) }) };

const trait = process.argv[2];
const all = [...Object.keys(kFloods), ...Object.keys(kTools), ...Object.keys(kResults), ...Object.keys(has_error), 'stderr', 'none'];
if (!all.includes(trait)) {
  console.log(all.join('\n'));
  process.exit(trait === undefined ? 0 : 2);
}

const kCapabilities = { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} };
function result_of(method, params) {
  const given = kResults[trait]?.(method, params);
  if (given) return given;
  switch (method) {
    case 'initialize':
      return { protocolVersion: params?.protocolVersion, capabilities: kCapabilities, serverInfo: { name: 'hostile', version: '1' } };
    case 'tools/list': return { tools: (kTools[trait] ?? (() => [named('plain')]))() };
    case 'resources/list': return { resources: [] };
    case 'resources/templates/list': return { resourceTemplates: [] };
    case 'prompts/list': return { prompts: [] };
    case 'tools/call': return { content: [{ type: 'text', text: 'done' }] };
    case 'completion/complete': return { completion: { values: [] } };
    default: return {};
  }
}
function answer_to(message) {
  if (message?.id === undefined || message.method === undefined) return undefined;
  const error = message.method !== 'initialize' && message.method !== 'ping' ? has_error[trait]?.() : undefined;
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(error ? { error } : { result: result_of(message.method, message.params) }) });
}
function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

// Writes for as long as somebody reads.
function flood(stream, make) {
  const go = () => {
    while (!stream.destroyed && stream.write(make())) { /* until it is full */ }
    if (!stream.destroyed) stream.once('drain', () => setImmediate(go));
  };
  go();
}

function over_stdio() {
  process.stdout.on('error', () => process.exit(0));
  if (trait === 'stderr') flood(process.stderr, () => `${big(1000)}\n`);
  let is_flooding = false;
  let rest = '';
  process.stdin.on('data', (chunk) => {
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = parsed(line);
      const answer = answer_to(message);
      if (answer) process.stdout.write(`${answer}\n`);
      if (message?.method !== 'notifications/initialized' || is_flooding || !kFloods[trait]) continue;
      is_flooding = true;
      flood(process.stdout, kFloods[trait]);
    }
  });
  process.stdin.on('end', () => process.exit(0));
}

// As events, one for each line, and as they are where they are no lines of JSON.
const as_events = (text) => text.split('\n').filter((line) => line.startsWith('{')).map((line) => `data: ${line}\n\n`).join('') || `:${text}`;

function over_http(port) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => {
      const message = parsed(body);
      const answer = answer_to(message);
      if (request.method === 'DELETE') return response.writeHead(200).end();
      const is_flooded = kFloods[trait] && message?.method !== 'initialize';
      if (request.method === 'GET' || (answer && is_flooded)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (answer) response.write(`data: ${answer}\n\n`);
        return kFloods[trait] ? flood(response, () => as_events(kFloods[trait]())) : undefined;
      }
      if (!answer) return response.writeHead(202).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  server.listen(port, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
}

if (process.argv[3] === undefined) over_stdio();
else over_http(Number(process.argv[3]));
