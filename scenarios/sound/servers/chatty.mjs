// Servers that say much that nobody asked for, where that is allowed.

import {report, tools} from './content.mjs';
import {META} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const everything = {
  tools: {listChanged: true}, prompts: {listChanged: true},
  resources: {listChanged: true, subscribe: true}, logging: {}, completions: {},
};

// Says now and then that lists changed, and that watched resources did.
function changing(period) {
  return {
    capabilities: everything,
    http: {answers: 'mixed'},
    onReady(session) {
      session.every(period, () => {
        session.notify('notifications/tools/list_changed');
        session.notify('notifications/prompts/list_changed');
        session.notify('notifications/resources/list_changed');
        for (const uri of session.watched) session.notify('notifications/resources/updated', {uri});
      });
    },
    onListen({honored, send}, peer) {
      const timer = setInterval(() => {
        if (![...peer.subscriptions.values()].some((one) => one.send === send)) {
          clearInterval(timer);
          return;
        }
        if (honored.toolsListChanged) send('notifications/tools/list_changed');
        if (honored.promptsListChanged) send('notifications/prompts/list_changed');
        if (honored.resourcesListChanged) send('notifications/resources/list_changed');
        for (const uri of honored.resourceSubscriptions ?? []) {
          send('notifications/resources/updated', {uri});
        }
      }, period);
    },
  };
}

const pinging = (period) => ({
  revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
  http: {answers: 'mixed', onGet: () => undefined},
  onReady(session) {
    session.every(period, () => session.ask('ping', undefined, {patience: 10000}).catch(() => {}));
  },
});

serve(traitOf({
  // A log message before and after each answer.
  'logs': {
    tools: [...tools, report],
    http: {answers: 'mixed'},
    before: (context) => context.log('info', `begins ${context.method}`),
    after: (context) => context.log('warning', {ends: context.method}),
  },
  // Progress of everything for which a token was given, ending just before the response.
  'progress': {
    http: {answers: 'mixed'},
    before(context) {
      for (const part of [0, 0.25, 0.5, 1e2, 1e3]) context.progress(part, undefined, 'under way');
    },
    after: (context) => context.progress(1e6, 1e6, 'done'),
  },
  'changes': () => changing(300),
  'changes-quickly': () => changing(20),
  'pings': () => pinging(200),
  'pings-at-once': () => pinging(15),
  // Standard error may be used for logging (Transports, stdio).
  'stderr': {
    before: ({method}) =>
        void process.stderr.write(`error! fatal? ${method} \u001b[31m${'noise '.repeat(3000)}\n`),
  },
  'meta': {
    meta: {'com.example/trace': {at: 1}, 'org.example.deep-er/a_b.c-d': [null, 1.5, 'x'], 'plain': ''},
    http: {answers: 'mixed'},
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  },
  // Every stream is ended by the server after a second (2026-07-28).
  'ends-streams': {
    revisions: ['2026-07-28'],
    capabilities: everything,
    onListen: ({end}, peer) => void setTimeout(() => {
      if (peer.subscriptions.size) end();
    }, 1000),
    info: {name: 'sound', version: '1', description: `tells ${META} in every result`},
  },
}));
