// Servers that take their time. No page says how fast a server has to be, but that a ping is
// answered promptly (Ping, Behavior Requirements): pings are not delayed here.

import {spawn} from 'node:child_process';

import {sleep} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const lasting = (ms, which = () => true) => ({
  before: ({method}) => method !== 'ping' && which(method) ? sleep(ms) : undefined,
});

// Stops itself as Ctrl-Z would; a small child wakes it up again.
function stopFor(ms) {
  const seconds = (ms / 1000).toFixed(1);
  const child = spawn('sh', ['-c', `sleep ${seconds}; kill -CONT ${process.pid}`],
                      {stdio: 'ignore', detached: true});
  child.on('spawn', () => process.kill(process.pid, 'SIGSTOP'));
  child.unref();
}

// Now and then nothing else happens for a while, as when garbage is collected.
function block(ms) {
  for (const end = Date.now() + ms; Date.now() < end;);
}

let answered = 0;

serve(traitOf({
  'start': {startDelay: 2500},
  'each-300': lasting(300),
  'some-2000': lasting(2000, (method) => ['prompts/get', 'resources/read'].includes(method)),
  'opening': lasting(2500, (method) => ['initialize', 'server/discover'].includes(method)),
  // One request at a time, each of 50 ms, over all connections.
  'serial': () => {
    let last = Promise.resolve();
    return {
      serial: true,
      before({method}) {
        if (method === 'ping') return undefined;
        last = last.then(() => sleep(50));
        return last;
      },
    };
  },
  'stops': {
    after() {
      if (++answered % 40 === 20) stopFor(1500 + answered % 3 * 700);
    },
  },
  'blocks': {
    after() {
      if (++answered % 10 === 0) block(700);
    },
  },
  'exit': {stdio: {exitDelay: 1500}},
  // The answer is there, but its second half comes late.
  'halves': {http: {halves: 250}},
}));
