// What a client is told on its command line and in its environment, and the named traits that make it unusual.
//
//   node client.mjs [--trait NAME]... URL                  over HTTP
//   node client.mjs [--trait NAME]... --server WORDS...    over stdio

// What a plain client does. A trait replaces some of these values.
const defaults = {
  capabilities: { roots: {} },
  ids: 'numbers',             // numbers, zero, strings, uuids, big, descending, alike, mirrored
  progressTokens: 'none',     // none, numbers, strings
  startDelay: 0,              // milliseconds before anything is sent
  requestDelay: 0,            // milliseconds before each request
  timeout: 2000,              // how long a request may take; 0: for ever
  maxTimeout: 4000,           // how long it may take though progress is reported
  linger: 150,                // how long to stay when all is done
  work: ['lists', 'calls', 'reads', 'gets'],
  parallel: false,            // all requests of one kind at once
  echoSchema: false,          // json_schema_echo gets the schema of the other tool
  firstPageOnly: false,
  answerLate: false,          // no question is answered while an own request is open
  pingMeta: false,            // the answer to a ping has a _meta
  pingEvery: 0,
  roots: null,                // other roots than the usual ones
  samples: 'plain',           // plain, rich: several blocks, tools: uses tools where it may
  errorCode: -32602,          // of errors whose code no page gives
  shuffleRoots: false,        // roots in another order, and another _meta, each time
  cutSamples: false,          // each sample ends at maxTokens
  elicitAction: 'accept',     // accept, decline, cancel
  refuseAll: false,           // a user that says no to each sample
  edits: false,               // a user that changes what a form proposes, and leaves out what may be left out
  limit: 10,                  // questions to the user or the model at once, before others wait
  refuseSurplus: false,       // questions above the limit get an error instead
  tellProgress: false,        // of questions that ask for it
  changeRoots: false,         // other roots after the first answer; told if roots.listChanged is declared
  answerDelay: 0,             // a user that takes time to answer
  getStream: 'after',         // never, first, after, late, often
  resume: true,               // with Last-Event-ID
  deleteSession: true,
  connections: 'kept',        // kept, new: each request has its own, which is closed
  dropStreams: false,         // leaves each stream after its first event with an id, and resumes it
  getStreams: 1,
  restartDelay: 0,            // milliseconds between the end of a session and the next one
  body: 'whole',              // whole, bytes: chunked, byte by byte
  json: 'usual',              // usual, odd: escapes and white space wherever they may be
  expect: false,              // Expect: 100-continue
  accept: 'usual',            // usual, odd: weights, capitals and more types
  absolute: false,            // the whole URL in the request line, as for a proxy
  headers: 'usual',           // usual, upper, lower, reversed
  overtake: false,            // notifications and answers are slow, requests overtake them
  probeFirst: false,          // server/discover before initialize
  initializeFirst: false,     // initialize before server/discover
  probe: true,                // server/discover before all else, in 2026-07-28
  listen: true,               // subscriptions/listen, in 2026-07-28
  modernHabits: false,        // header fields and _meta of 2026-07-28 in older revisions
  wellKnown: false,           // asks for metadata of authorization although no one said 401
  twoSessions: false,
  twice: false,               // all is done again in a second session, or with a second server
  latestFirst: false,         // asks for the latest version, and takes an older one
  earlyPing: false,           // a ping before initialize is answered
  initializedDelay: 0,
  methods: false,             // uses what else the server has: log levels, completion, subscriptions
  cancelAfter: -1,            // milliseconds after which calls are cancelled if they are not answered yet
  retries: 0,                 // how often a failed call is tried again
  params: 'usual',            // usual, full: params and _meta in every request, lean: no arguments where none are needed
  relists: false,             // looks at the list again before each call, unless it is fresh
  cachesPages: false,         // keeps each page of a list as long as the page says, and needs the list before each call
  reviveDelay: 0,             // milliseconds before a server that exited is started again, or a lost request is sent again
  relistens: false,           // ends its subscription before each call, and makes another one
  doubleLists: false,         // two walks over each list side by side
  batches: false,             // asks for all lists in one batch, in 2025-03-26
  abandon: false,             // never goes on where a result asks for input, in 2026-07-28
  varyCapabilities: false,    // declares on each request only what matters to it, in 2026-07-28
  fallBack: true,             // speaks to servers without 2026-07-28 as older clients do
  subscriptions: 1,
  trace: false,               // trace context and other keys in each _meta
  pollFactor: 1,              // how many times the poll interval of a task is waited
  tasks: true,                // tools that may be called as tasks are
  taskStyle: 'polls',         // polls, waits: for the result without polling, cancels, lists
  received: {},               // how tasks for the server are kept: {ttl, interval, page, forget, notes}
  shutdown: [1500, 1500],     // milliseconds until SIGTERM and until SIGKILL
  signals: ['SIGTERM', 'SIGKILL'],
  stop: 0,                    // milliseconds for which the process stops itself
  exit: 'usual',              // usual, abort, one
  vanish: 0,                  // milliseconds after which the process is killed
  chatty: false,              // writes much to its standard error
};

const everything = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  experimental: { 'com.example/sound': {} },
};

const traits = {
  'slow': { startDelay: 1000, requestDelay: 300, timeout: 5000, maxTimeout: 10000 },
  'initialize-only': { work: [], getStream: 'never', listen: false, linger: 0, capabilities: {} },
  'lists-only': { work: ['lists'], getStream: 'never', listen: false, linger: 0, capabilities: {} },
  'calls-only': { work: ['lists', 'calls'], getStream: 'never', listen: false, linger: 0, capabilities: {} },
  'declares-nothing': { capabilities: {} },
  'declares-all': { capabilities: everything },
  'roots-and-samples': { capabilities: { roots: {}, sampling: {}, elicitation: {} } },
  'samples-with-tools': { capabilities: { sampling: { tools: {} } } },
  'declining-user': { capabilities: everything, elicitAction: 'decline' },
  'cancelling-user': { capabilities: everything, elicitAction: 'cancel' },
  'refusing-user': { capabilities: everything, refuseAll: true },
  'slow-user': { capabilities: everything, answerDelay: 400, linger: 700 },
  'single-threaded': { answerLate: true, getStream: 'never', linger: 300 },
  'ping-meta': { pingMeta: true },
  'shuffled-roots': { shuffleRoots: true, capabilities: { roots: { listChanged: true } } },
  'cut-samples': { cutSamples: true, capabilities: { roots: {}, sampling: { tools: {} } } },
  'aborts-at-exit': { exit: 'abort' },
  'exits-with-one': { exit: 'one' },
  'pings': { pingEvery: 200 },
  'parallel': { parallel: true },
  'quick-timeouts': { timeout: 1000, maxTimeout: 1500 },
  'no-timeouts': { timeout: 0, maxTimeout: 0 },
  'overtaking': { overtake: true, connections: 'new' },
  'new-connections': { connections: 'new' },
  'bytes': { body: 'bytes' },
  'upper-headers': { headers: 'upper' },
  'lower-headers': { headers: 'lower' },
  'reversed-headers': { headers: 'reversed' },
  'no-get': { getStream: 'never' },
  'late-get': { getStream: 'late' },
  'get-first': { getStream: 'first' },
  'get-often': { getStream: 'often' },
  'never-resumes': { resume: false },
  'no-delete': { deleteSession: false },
  'first-page': { firstPageOnly: true },
  'ids-zero': { ids: 'zero' },
  'ids-strings': { ids: 'strings', progressTokens: 'strings' },
  'ids-uuids': { ids: 'uuids', progressTokens: 'strings' },
  'ids-big': { ids: 'big', progressTokens: 'numbers' },
  'ids-descending': { ids: 'descending', progressTokens: 'numbers' },
  'echo-schema': { echoSchema: true },
  'probe-first': { probeFirst: true },
  'initialize-first': { initializeFirst: true },
  'no-probe': { probe: false },
  'modern-habits': { modernHabits: true },
  'well-known': { wellKnown: true },
  'two-sessions': { twoSessions: true },
  'slow-polls': { pollFactor: 2, capabilities: everything },
  'plain-calls': { tasks: false },
  'stops': { stop: 1700, timeout: 5000, maxTimeout: 8000 },
  'chatty': { chatty: true },
  'stops-long': { stop: 3000, timeout: 8000, maxTimeout: 9000 },
  'lingers': { linger: 2500 },
  'vanishes': { vanish: 200 },
  'no-roots': { roots: [] },
  'odd-roots': { roots: [{ uri: 'file:///' }, { uri: 'file:///C:/Program%20Files', name: '' }, { uri: 'file:///tmp/%F0%9F%98%80', name: '\u{1f600}' }] },
  'rich-samples': { samples: 'rich', capabilities: everything },
  'many-tools': { samples: 'tools', capabilities: everything },
  'odd-errors': { errorCode: -32600, capabilities: { roots: {}, sampling: {} } },
  'full-params': { params: 'full' },
  'lean-params': { params: 'lean' },
  'relists': { relists: true },
  'caches-pages': { cachesPages: true },
  'revives-late': { reviveDelay: 1000 },
  'relistens': { relistens: true },
  'odd-tasks': { capabilities: everything, received: { odd: true } },
  'ids-alike': { ids: 'alike', progressTokens: 'strings' },
  'ids-mirrored': { ids: 'mirrored', capabilities: everything },
  'odd-json': { json: 'odd' },
  'odd-accept': { accept: 'odd' },
  'expects-continue': { expect: true, connections: 'new' },
  'absolute-form': { absolute: true },
  'two-gets': { getStreams: 2 },
  'drops-streams': { dropStreams: true },
  'changing-roots': { changeRoots: true, capabilities: { roots: { listChanged: true } } },
  'untold-roots': { changeRoots: true, capabilities: { roots: {} } },
  'editing-user': { edits: true, capabilities: everything },
  'generous-limits': { limit: 10000, capabilities: everything },
  'tight-limits': { limit: 2, capabilities: everything, linger: 800 },
  'refused-surplus': { limit: 3, refuseSurplus: true, capabilities: everything },
  'progress-notes': { tellProgress: true, capabilities: everything },
  'brief-tasks': { capabilities: everything, received: { ttl: 600 } },
  'forgets-tasks': { capabilities: everything, received: { forget: true, interval: 30, page: 1 } },
  'notes-tasks': { capabilities: everything, received: { notes: true } },
  'tasks-only-run': { capabilities: { sampling: { tools: {} }, elicitation: { url: {} }, tasks: { requests: { sampling: { createMessage: {} } } } } },
  'waits-for-results': { taskStyle: 'waits' },
  'cancels-tasks': { taskStyle: 'cancels' },
  'lists-tasks': { taskStyle: 'lists' },
  'hasty': { timeout: 300, maxTimeout: 400 },
  'minute-timeouts': { timeout: 60000, maxTimeout: 60000 },
  'leaves-at-once': { linger: 0, answerDelay: 1500, capabilities: everything },
  'late-initialized': { initializedDelay: 800 },
  'early-ping': { earlyPing: true },
  'all-methods': { methods: true },
  'cancels-at-once': { cancelAfter: 0 },
  'cancels-soon': { cancelAfter: 3, parallel: true },
  'retries': { retries: 1 },
  'double-lists': { doubleLists: true },
  'batches': { batches: true },
  'abandons': { abandon: true },
  'varying-capabilities': { varyCapabilities: true, capabilities: everything },
  'modern-only': { fallBack: false },
  'two-subscriptions': { subscriptions: 2 },
  'trace': { trace: true, progressTokens: 'strings' },
  'twice': { twice: true },
  'latest-first': { latestFirst: true, capabilities: everything },
  'restarts-late': { restartDelay: 1000 },
  'impatient': { shutdown: [100, 100] },
  'patient': { shutdown: [4000, 4000] },
  'kills': { shutdown: [1000, 1000], signals: ['SIGKILL', 'SIGKILL'] },
};

/** What the command line and the environment say: the traits, the server, the revision. */
export function readTask(words = process.argv.slice(2)) {
  const task = { ...defaults, url: null, command: null };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '--trait') {
      const trait = traits[words[++i]];
      if (trait === undefined) throw new Error(`no such trait: ${words[i]}`);
      Object.assign(task, trait);
    } else if (words[i] === '--server') {
      task.command = words.slice(i + 1);  // one word is a line for the shell
      break;
    } else {
      task.url = words[i];
    }
  }
  task.revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION || '2025-11-25';
  task.scenario = process.env.MCP_CONFORMANCE_SCENARIO || '';
  try {
    task.context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || '{}');
  } catch {
    task.context = {};
  }
  task.capabilities = capabilitiesOf(task.capabilities, task.latestFirst && task.revision !== '2026-07-28' ? '2025-11-25' : task.revision);
  return task;
}

/** The capabilities that the revision has, of those that are wanted. */
function capabilitiesOf(wanted, revision) {
  const declared = structuredClone(wanted);
  if (revision !== '2025-11-25') delete declared.tasks;
  if (revision < '2025-06-18') delete declared.elicitation;
  if (revision < '2025-11-25') {
    if (declared.sampling) declared.sampling = {};
    if (declared.elicitation) declared.elicitation = {};
  }
  if (revision === '2026-07-28' && declared.roots) declared.roots = {};
  return declared;
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
