// The stdio transport: a message per line.

import {Session} from './peer.mjs';
import {keyOf, parse, RpcError, sleep, stringify} from './protocol.mjs';

// How lines get to standard output: as they come, byte by byte, or several in one write.
const WRITERS = {
  plain: (line) => process.stdout.write(line),
  bytes(line) {
    for (const byte of Buffer.from(line)) process.stdout.write(Buffer.from([byte]));
  },
  gathered(line) {
    if (!WRITERS.waiting) {
      WRITERS.waiting = '';
      setTimeout(() => {
        process.stdout.write(WRITERS.waiting);
        WRITERS.waiting = undefined;
      }, 30);
    }
    WRITERS.waiting += line;
  },
};

export function startStdio(peer) {
  const {traits} = peer;
  const {
    writer = 'plain', style, lineEnd = '\n', lineLimit = Infinity, silentAboutGarbage = false,
    exitDelay = 0, exitStatus = 0,
  } = traits.stdio ?? {};
  const write = (message) => WRITERS[writer](`${stringify(message, style)}${lineEnd}`);
  const session = new Session(write, traits.ids);
  const lane = {send: write, subscriptionKey: (id) => `stdio ${keyOf(id)}`};
  let open = 0;
  let queue = Promise.resolve();
  let opening = Promise.resolve();

  async function handle(line) {
    let message;
    if (line.length > lineLimit) {
      const failure = new RpcError(-32600, 'This message is too long');
      write(peer.failed(undefined, failure, session.revision ?? peer.newest()));
      return;
    }
    try {
      message = parse(new TextDecoder('utf-8', {fatal: true}).decode(line));
    } catch (error) {
      const failure = new RpcError(-32700, 'Parse error');
      const revision = session.revision ?? peer.newest();
      if (!silentAboutGarbage) write(peer.failed(undefined, failure, revision));
      return;
    }
    if (Array.isArray(message)) {
      const answer = await batch(peer, message, session, lane);
      if (answer) write(answer);
      return;
    }
    // What comes right after `initialize` is handled when that has been answered.
    const handled = opening.then(async () => {
      const response = await peer.handle(message, session, lane);
      if (response) write(response);
    });
    if (message?.method === 'initialize') opening = handled;
    await handled;
  }

  function take(line) {
    open++;
    const done = () => open--;
    // One after another where the server is single-threaded, but notifications are heard at once.
    if (traits.serial) queue = queue.then(() => handle(line)).then(done);
    else handle(line).then(done);
  }

  setTimeout(() => read(take, exit), traits.startDelay ?? 0);

  async function exit() {
    for (const {end} of peer.subscriptions.values()) end();
    for (let turn = 0; turn < 20 && open > 0; turn++) await sleep(25);
    await sleep(exitDelay);
    session.end();
    process.exit(exitStatus);
  }
  process.stdout.on('error', () => process.exit(0));
}

// Calls `take` with each line, and `exit` at the end.
function read(take, exit) {
  let rest = Buffer.alloc(0);
  process.stdin.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (line.some((byte) => byte > 32)) take(line);
    }
  });
  process.stdin.on('end', exit);
}

// Batches are part of 2025-03-26 only.
export async function batch(peer, messages, session, lane) {
  const revision = session?.revision ?? peer.newest();
  if (revision !== '2025-03-26' || !messages.length) {
    return peer.failed(undefined, new RpcError(-32600, 'No batches here', undefined, 400), revision,
                       lane);
  }
  const answers = await Promise.all(messages.map((message) => {
    // A lane of its own, so that the status that one member wants is not that of all.
    if (message?.method !== 'initialize') return peer.handle(message, session, Object.create(lane));
    const failure = new RpcError(-32600, 'initialize must not be part of a batch');
    return peer.failed(message.id, failure, revision, lane);
  }));
  const found = answers.filter(Boolean);
  return found.length ? found : undefined;
}
