// Servers whose lists and contents change, or are cut into pages in unusual ways (Pagination, and the
// pages of tools, prompts and resources).

import {add, echo, fail, prompts, resources, templates, text} from './content.mjs';
import {RpcError} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const listed = {
  tools: {listChanged: true}, prompts: {listChanged: true},
  resources: {listChanged: true, subscribe: true},
};

// Every so often a tool comes or goes, for all clients, and those who want to know are told. What there
// is depends on the time of day alone, so that it is the same on every connection, and in every process.
function growing(period) {
  const tools = [echo, add, fail];
  const sessions = new Set();
  let peerOfAll;
  let turn = 0;
  function look() {
    const now = Math.floor(Date.now() / period);
    if (now === turn) return;
    turn = now;
    tools.splice(3);
    if (turn % 2) tools.push({...echo, name: `echo_${turn}`});
    for (const session of sessions) session.notify('notifications/tools/list_changed');
    for (const {honored, send} of peerOfAll?.subscriptions.values() ?? []) {
      if (honored.toolsListChanged) send('notifications/tools/list_changed');
    }
  }
  setInterval(look, period / 4);
  return {
    tools, capabilities: listed, http: {answers: 'mixed'}, caching: {ttlMs: 0},
    before: look,
    onReady: (session) => void sessions.add(session),
    onListen: (_, peer) => { peerOfAll = peer; },
  };
}

// Contents that are never twice the same.
const clock = {
  uri: 'clock://now', name: 'now', mimeType: 'text/plain',
  read: (uri) => [
    {uri, mimeType: 'text/plain', text: new Date().toISOString()},
    {uri: 'clock://random', mimeType: 'application/json', text: `[${Math.random()}]`},
  ],
};
const dice = {
  ...echo, name: 'dice', description: 'Throws a dice', inputSchema: {type: 'object'},
  call: () => text(String(1 + Math.floor(Math.random() * 6))),
};

// The second page has the empty string as its cursor; a cursor is no more than a string.
const cursors = ['', ' ', '\u{1f511}'];
const manyTools = Array.from({length: 7}, (_, at) => ({...echo, name: `echo.${at}`}));
function oddCursors({params}) {
  const page = params.cursor === undefined ? 0 : cursors.indexOf(params.cursor) + 1;
  if (params.cursor !== undefined && page === 0) throw new RpcError(-32602, 'Invalid cursor');
  const shown = manyTools.slice(page * 2, page * 2 + 2)
      .map(({name, description, inputSchema}) => ({name, description, inputSchema}));
  // Pages may differ in how long they are fresh (Caching).
  return {tools: shown, ttlMs: page * 1000, ...page < 3 && {nextCursor: cursors[page]}};
}

const words = Array.from({length: 250}, (_, at) => `word-${at}`);

serve(traitOf({
  'growing': () => growing(90),
  'growing-quickly': () => growing(15),
  'never-the-same': {tools: [dice], resources: [clock, ...resources], caching: {ttlMs: 0}},
  'odd-cursors': {tools: manyTools, methods: {'tools/list': oddCursors}},
  // More values than fit: a hundred are given, and the total.
  'many-completions': {
    methods: {
      'completion/complete'({params}) {
        const {ref, argument} = params;
        if (typeof argument?.name !== 'string' || typeof argument.value !== 'string') {
          throw new RpcError(-32602, 'argument has to have a name and a value');
        }
        const known = ref?.type === 'ref/prompt' ?
            prompts.find(({name}) => name === ref.name)?.arguments?.map(({name}) => name) :
            ref?.type === 'ref/resource' && ref.uri === templates[0].uriTemplate ? ['line'] : undefined;
        if (!known?.includes(argument.name)) throw new RpcError(-32602, 'There is no such argument');
        const fitting = words.filter((word) => word.includes(argument.value));
        return {
          completion: {
            values: fitting.slice(0, 100), total: fitting.length, hasMore: fitting.length > 100},
        };
      },
    },
  },
  // Resources without templates: the method for them is unknown.
  'no-templates': {
    templates: [],
    methods: {
      'resources/templates/list'({revision}) {
        throw new RpcError(-32601, 'Method not found', undefined,
                           revision === '2026-07-28' ? 404 : undefined);
      },
    },
  },
  // Whoever subscribes to what is not there yet will hear of it when it comes.
  'subscribe-to-anything': {
    capabilities: listed,
    methods: {
      'resources/subscribe'({params, session, revision}) {
        if (revision === '2026-07-28') throw new RpcError(-32601, 'Method not found', undefined, 404);
        if (!/^[a-z][a-z0-9+.-]*:[^\s"<>\\^`{|}]*$/i.test(params.uri)) {
          throw new RpcError(-32602, 'uri has to be a URI');
        }
        session.watched.add(params.uri);
        session.notify('notifications/resources/updated', {uri: params.uri});
        return {};
      },
    },
  },
}));
