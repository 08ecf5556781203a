// What is changed: packages of others, how each is started, and what the fixed conversation asks it. `files` are the changed ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const kRevision = '2025-11-25';  // the newest that all of them speak

// Ids are what the findings name, so they say what is asked.
const ask = (id, method, params) => ({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
const tell = (method, params) => ({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
const call = (name, args, id = `call ${name}`, meta = undefined) =>
  ask(id, 'tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });

const kBegin = [
  ask('initialize', 'initialize', {
    protocolVersion: kRevision, clientInfo: { name: 'recorder', version: '1' },
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  }),
  tell('notifications/initialized'),
  ask('ping', 'ping'), ask('tools', 'tools/list'), ask('prompts', 'prompts/list'), ask('resources', 'resources/list'),
  ask('templates', 'resources/templates/list'), ask('bad cursor', 'tools/list', { cursor: 'none' }),
];
const kEnd = [
  tell('notifications/cancelled', { requestId: 'none', reason: 'to see' }), tell('notifications/roots/list_changed'),
  ask('unknown method', 'no/such'), ask('no params', 'tools/call'), call('no-such-tool', {}), ask('no prompt', 'prompts/get', { name: 'none' }),
  ask('no resource', 'resources/read', { uri: 'none://x' }), ask('level', 'logging/setLevel', { level: 'debug' }),
  ask('bad level', 'logging/setLevel', { level: 'loud' }), ask('no reference', 'completion/complete',
      { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'x', value: '' } }),
  '{"jsonrpc":"2.0","id":7,', '{"id":8,"method":"ping"}', ask(9, 'ping'),
];
const conversation = (...steps) => [...kBegin, ...steps, ...kEnd];

const kMemory = conversation(
  ask('subscribe', 'resources/subscribe', { uri: 'memory://knowledge-graph' }),
  call('create_entities', { entities: [{ name: 'a', entityType: 'x', observations: ['o'] }, { name: 'b', entityType: 'y', observations: [] }] }),
  call('create_relations', { relations: [{ from: 'a', to: 'b', relationType: 'knows' }] }),
  call('add_observations', { observations: [{ entityName: 'b', contents: ['p', 'q'] }] }),
  call('add_observations', { observations: [{ entityName: 'none', contents: ['p'] }] }, 'add to none'),
  call('read_graph', {}), call('search_nodes', { query: 'P' }), call('open_nodes', { names: ['a'] }),
  ask('read', 'resources/read', { uri: 'memory://knowledge-graph' }),
  call('delete_observations', { deletions: [{ entityName: 'b', observations: ['p'] }] }),
  call('delete_relations', { relations: [{ from: 'a', to: 'b', relationType: 'knows' }] }),
  ask('unsubscribe', 'resources/unsubscribe', { uri: 'memory://knowledge-graph' }),
  call('delete_entities', { entityNames: ['a'] }), call('read_graph', {}, 'graph at last'), call('open_nodes', {}, 'no names'));

const kFilesystem = (place) => conversation(
  call('list_allowed_directories', {}), call('list_directory', { path: place }), call('directory_tree', { path: place }),
  call('list_directory_with_sizes', { path: place, sortBy: 'size' }), call('read_text_file', { path: `${place}/a.txt`, head: 2 }),
  call('read_text_file', { path: `${place}/a.txt`, tail: 1 }, 'tail'), call('read_file', { path: `${place}/a.txt` }),
  call('read_text_file', { path: `${place}/a.txt`, tail: 1, head: 1 }, 'head and tail'), call('read_media_file', { path: `${place}/p.png` }),
  call('read_multiple_files', { paths: [`${place}/a.txt`, `${place}/none`] }), call('read_file', { path: '/etc/hostname' }, 'outside'),
  call('read_file', { path: `${place}/none` }, 'no file'), call('write_file', { path: `${place}/b.txt`, content: 'one\ntwo\n' }),
  call('edit_file', { path: `${place}/b.txt`, edits: [{ oldText: 'two', newText: 'three' }] }),
  call('create_directory', { path: `${place}/d` }), call('move_file', { source: `${place}/b.txt`, destination: `${place}/d/b.txt` }),
  call('search_files', { path: place, pattern: '**/*.txt' }), call('get_file_info', { path: `${place}/a.txt` }));

const kEverything = conversation(
  call('echo', { message: 'hello' }), call('echo', {}, 'echo nothing'), call('get-sum', { a: 1, b: 2 }), call('get-tiny-image', {}),
  call('get-annotated-message', { messageType: 'error', includeImage: true }), call('get-structured-content', { location: 'Chicago' }),
  call('get-resource-links', { count: 3 }), call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
  call('trigger-long-running-operation', { duration: 0.2, steps: 2 }, 'long', { progressToken: 'p' }),
  call('trigger-sampling-request', { prompt: 'x', maxTokens: 5 }), call('trigger-elicitation-request', {}), call('get-roots-list', {}),
  ask('simple prompt', 'prompts/get', { name: 'simple-prompt' }),
  ask('args prompt', 'prompts/get', { name: 'args-prompt', arguments: { city: 'Rome', state: 'x' } }),
  ask('resource prompt', 'prompts/get', { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } }),
  ask('text', 'resources/read', { uri: 'demo://resource/dynamic/text/1' }), ask('blob', 'resources/read', { uri: 'demo://resource/dynamic/blob/2' }),
  ask('bad id', 'resources/read', { uri: 'demo://resource/dynamic/text/x' }),
  ask('subscribe', 'resources/subscribe', { uri: 'demo://resource/dynamic/text/1' }),
  ask('unsubscribe', 'resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' }),
  ask('completion', 'completion/complete', { ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } }));

const kSdk = conversation(
  call('add', { a: 1, b: 2 }), call('add', { a: 'one' }, 'add text'), call('steps', {}, 'steps', { progressToken: 5 }), call('ask', {}), call('fail', {}),
  ask('note', 'resources/read', { uri: 'note://one' }), ask('note of', 'resources/read', { uri: 'note://of/ann' }),
  ask('prompt', 'prompts/get', { name: 'greet', arguments: { name: 'Ann' } }), ask('no argument', 'prompts/get', { name: 'greet' }),
  ask('completion', 'completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }),
  ask('completion of uri', 'completion/complete', { ref: { type: 'ref/resource', uri: 'note://of/{name}' }, argument: { name: 'name', value: 'b' } }));

// The same without a handshake: each request says what the client is. Ids are texts here too.
const kStateless = '2026-07-28';
const kAble = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const lone = (id, method, params = {}, { version = kStateless, able = kAble, ...meta } = {}) => ask(id, method, {
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientInfo': { name: 'recorder', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': able, ...meta,
  },
});
const lone_call = (name, args = {}, id = `call ${name}`, meta = {}, more = {}) => lone(id, 'tools/call', { name, arguments: args, ...more }, meta);
const kSdk2 = [
  lone('discover', 'server/discover'), lone('tools', 'tools/list'), lone('prompts', 'prompts/list'), lone('resources', 'resources/list'),
  lone('templates', 'resources/templates/list'), lone('bad cursor', 'tools/list', { cursor: 'none' }),
  lone_call('add', { a: 1, b: 2 }), lone_call('add', { a: 'one' }, 'add text'), lone_call('fail'),
  lone_call('steps', {}, 'steps', { progressToken: 5, 'io.modelcontextprotocol/logLevel': 'debug' }), lone_call('steps', {}, 'steps quietly'),
  lone_call('ask'), lone_call('ask', {}, 'ask again', {}, { inputResponses: { user: { action: 'accept', content: { name: 'Ann' } } } }),
  lone_call('ask', {}, 'ask the unable', { able: {} }), lone_call('ask', {}, 'bad state', {}, { requestState: 'none', inputResponses: {} }),
  lone('note', 'resources/read', { uri: 'note://one' }), lone('note of', 'resources/read', { uri: 'note://of/ann' }),
  lone('prompt', 'prompts/get', { name: 'greet', arguments: { name: 'Ann' } }), lone('no argument', 'prompts/get', { name: 'greet' }),
  lone('completion', 'completion/complete', { ref: { type: 'ref/resource', uri: 'note://of/{name}' }, argument: { name: 'name', value: 'b' } }),
  lone('no-such-tool', 'tools/call', { name: 'no-such-tool', arguments: {} }), lone('no prompt', 'prompts/get', { name: 'none' }),
  lone('no resource', 'resources/read', { uri: 'none://x' }), lone('unknown method', 'no/such'), lone('old', 'tools/list', {}, { version: '1999-01-01' }),
  ask('no meta', 'tools/list', {}), ask('initialize', 'initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  tell('notifications/cancelled', { requestId: 'none' }), '{"jsonrpc":"2.0","id":7,', '{"id":8,"method":"server/discover"}',
  lone('at last', 'server/discover'),
];

// `prepare(PLACE)` fills a folder that is new for each start; `words` and `env` start the server there, from its node_modules.
// `module` exports createServer(), so that one process can serve all sessions; what `only_stdio` matches is not part of that.
export const kSubjects = [
  {
    name: 'server-everything', package: '@modelcontextprotocol/server-everything',
    files: /^dist\/(?!vitest|__tests__|transports\/(?:sse|streamable))/,
    words: (modules) => [join(modules, '@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    module: (modules) => join(modules, '@modelcontextprotocol/server-everything/dist/server/index.js'),
    only_stdio: /^dist\/(?:index|transports\/stdio)\.js$/,
    steps: () => kEverything,
  },
  {
    name: 'server-memory', package: '@modelcontextprotocol/server-memory', files: /^dist\//,
    words: (modules) => [join(modules, '@modelcontextprotocol/server-memory/dist/index.js')],
    env: (place) => ({ MEMORY_FILE_PATH: join(place, 'memory.json') }), steps: () => kMemory,
  },
  {
    name: 'server-filesystem', package: '@modelcontextprotocol/server-filesystem', files: /^dist\//,
    words: (modules, place) => [join(modules, '@modelcontextprotocol/server-filesystem/dist/index.js'), place],
    prepare(place) {
      mkdirSync(join(place, 'sub'), { recursive: true });
      writeFileSync(join(place, 'a.txt'), 'first\nsecond\nthird\n');
      writeFileSync(join(place, 'p.png'), 'no picture');
    },
    steps: kFilesystem,
  },
  {
    name: 'sdk', package: '@modelcontextprotocol/sdk', files: /^dist\/esm\/(?:server|shared)\//,
    words: (modules) => [join(modules, '../over-stdio.mjs'), join(modules, '../sdk-server.mjs')],
    module: (modules) => join(modules, '../sdk-server.mjs'), steps: () => kSdk,
  },
  {
    name: 'sdk-2', package: '@modelcontextprotocol/server', revision: kStateless, files: /^dist\/(?!.*(?:ajv|cfWorker|dialects|chunk))[^/]*\.mjs$/,
    words: (modules) => [join(modules, '../sdk-2-server.mjs')], steps: () => kSdk2,
  },
].map((subject) => ({ revision: kRevision, prepare: () => {}, env: () => ({}), ...subject }));
