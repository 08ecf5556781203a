// Adversarial timing between the suite and a peer: delays, splits and joins what passes, from a seed.
//
//   node jitter.mjs --seed N -- COMMAND...                    between the pipes of a stdio peer
//   node jitter.mjs --seed N --upstream http://127.0.0.1:PORT/mcp
//                                                             before an HTTP server; prints where it listens
//   node jitter.mjs --seed N --client -- COMMAND... URL       starts an HTTP client that finds its server through it
//
// --log FILE adds a line for each decision: lane, number, pieces of at most how many bytes, after how many ms.
//
// A lane is one direction of the pipes, or one direction of one TCP connection. The bytes of a lane stay as they are, in their
// order, and none is lost; only when they arrive, and in what pieces, is changed. Lanes run independently, so that what
// passes in two of them (an answer on one connection, a notification on another; a request and an answer that cross) changes
// places. That is all that a network, a scheduler or a busy peer may do, so no verdict may come of it.
//
// Decisions: each lane has a generator of its own, seeded by the seed and the lane's name, and the n-th decision of a lane is
// always the same. Neither other lanes nor the clock change it.
//
// Bounds: a lane is done with what it has at most kLongest ms after it was last empty (then everything passes at once), so that a
// question and its answer lose at most twice of that. This is less than any time that the suite waits by default: 3 s for a
// client's answer, 5 s for a server's. A lane keeps at most kMostBytes.
//
// Over HTTP nothing is rewritten: the Host header names the port of this proxy, and a server has to accept this (it is a loopback
// name). Documents of the suite that name its own origin, such as its authorization server's, lead a client around the proxy.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const kLongest = 1200;
const kMostBytes = 256 * 1024;
const kLastWords = 2000;  // for a peer's output to end after its process has

// A generator of numbers in [0, 1) for each text (FNV-1a, then mulberry32).
function generator(text) {
  let state = 0x811c9dc5;
  for (const each of Buffer.from(text)) state = Math.imul(state ^ each, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// How a lane behaves on the whole: of its pieces the share of at most 8 bytes, of at most 300, and of those that are not
// delayed; the usual delay; the share of those that wait for about 200 ms; and of those that wait for up to a second.
const kPlain = { tiny: 0.15, small: 0.6, prompt: 0.3, usual: 30, long: 1 / 30, longest: 1 / 300 };
const kTempers = [
  kPlain,
  { ...kPlain, tiny: 0.7, small: 0.9, prompt: 0.5 },             // dribbles
  { ...kPlain, tiny: 0, small: 0.05, prompt: 0 },                // joins
  { ...kPlain, tiny: 0.02, small: 0.1, prompt: 0.8 },            // mostly passes
  { ...kPlain, prompt: 0.8, long: 1 / 15, longest: 1 / 40 },     // stalls
  { ...kPlain, tiny: 0, small: 0.05, prompt: 0, usual: 150 },    // is far away
];

class Decisions {
  constructor(seed, lane) {
    this.draw = generator(`${seed}/${lane}`);
    this.temper = kTempers[Math.floor(this.draw() * kTempers.length)];
  }

  next() {
    const { tiny, small, prompt, usual, long, longest } = this.temper;
    const kind = this.draw();
    const most = kind < tiny ? 8 : kind < small ? 300 : kMostBytes;
    const size = 1 + Math.floor(this.draw() * most);
    const rarity = this.draw();
    const length = this.draw();
    if (rarity < longest) return { size, delay: 700 + 300 * length };
    if (rarity < longest + long) return { size, delay: 100 + 150 * length };
    return { size, delay: length < prompt ? 0 : (usual * (length - prompt)) / (1 - prompt) };
  }
}

// Passes on what comes from `source` to `sink`, and its end.
class Lane {
  constructor(name, source, sink, is_tcp) {
    Object.assign(this, { name, source, sink, is_tcp });
    this.decisions = new Decisions(options.seed, name);
    this.count = 0;
    this.queue = [];
    this.bytes = 0;
    this.busy_since = undefined;
    this.is_waiting = false;  // for a delay, or for the sink
    this.end = undefined;     // 'end' or 'reset', once the source has ended
    this.is_closed = false;
    this.done = () => {};     // called when all has been passed on, or cannot be
    source.on('data', (data) => this.take(data));
    source.on('end', () => this.finish('end'));
    source.on('error', () => this.finish('reset'));
    source.on('close', () => this.finish('reset'));
    sink.on('error', () => this.give_up());
  }

  take(data) {
    if (this.is_closed) return;
    this.queue.push(data);
    this.bytes += data.length;
    if (this.bytes >= kMostBytes) this.source.pause();
    this.step();
  }

  finish(how) {
    this.end ??= how;
    this.step();
  }

  // The reader has gone: what comes is dropped, as the kernel drops what was on its way. Of a socket the other lane tells this,
  // when it has delivered what came before; a pipe has no other lane.
  give_up() {
    if (this.is_closed) return;
    this.is_closed = true;
    this.queue = [];
    this.source.resume();
    if (!this.is_tcp) this.source.destroy();
    this.done();
  }

  step() {
    if (this.is_waiting || this.is_closed || (this.bytes === 0 && !this.end)) return;
    const now = performance.now();
    this.busy_since ??= now;
    const { size, delay } = this.decisions.next();
    if (options.log) {
      appendFileSync(options.log, `${this.name} ${++this.count} ${size} ${delay.toFixed(1)}\n`);
    }
    const left = Math.min(delay, this.busy_since + kLongest - now);
    this.is_waiting = true;
    const act = () => {
      this.is_waiting = false;
      if (!this.is_closed) this.bytes > 0 ? this.send(size) : this.close();
    };
    left >= 1 ? setTimeout(act, left) : setImmediate(act);
  }

  // Everything that has come in the meantime goes as one piece, as far as the decision allows.
  send(size) {
    let piece = this.queue.length > 1 ? Buffer.concat(this.queue) : this.queue[0];
    const rest = piece.subarray(size);
    piece = piece.subarray(0, size);
    this.queue = rest.length > 0 ? [rest] : [];
    this.bytes = rest.length;
    if (this.bytes === 0) this.busy_since = undefined;
    if (this.bytes < kMostBytes) this.source.resume();
    if (this.sink.write(piece)) return this.step();
    this.is_waiting = true;
    const since = performance.now();
    this.sink.once('drain', () => {
      this.is_waiting = false;
      if (this.busy_since !== undefined) this.busy_since += performance.now() - since;  // the reader took this time
      this.step();
    });
  }

  close() {
    this.is_closed = true;
    if (this.end === 'reset' && this.is_tcp) {
      this.sink.resetAndDestroy();
      this.done();
    } else {
      this.sink.end(this.done);
    }
  }
}

function usage() {
  console.error('usage: node jitter.mjs --seed N [--log FILE] (-- COMMAND... | --upstream URL | --client -- COMMAND... URL)');
  process.exit(2);
}

function parse(words) {
  const read = { seed: undefined, command: [], upstream: undefined, is_client: false, log: undefined };
  while (words.length > 0) {
    const word = words.shift();
    if (word === '--') read.command = words.splice(0);
    else if (word === '--seed') read.seed = words.shift();
    else if (word === '--log') read.log = words.shift();
    else if (word === '--upstream') read.upstream = words.shift();
    else if (word === '--client') read.is_client = true;
    else usage();
  }
  if (!/^\d+$/.test(read.seed ?? '') || (read.command.length > 0) === (read.upstream !== undefined)) usage();
  return read;
}

// start(WORDS, STDIO): the peer. Signals that are meant to end us are for it.
function start([program, ...words], stdio) {
  const child = spawn(program, words, { stdio });
  child.on('error', (error) => {
    console.error(`jitter: ${program}: ${error.message}`);
    process.exit(127);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return child;
}

// Ends as the peer did.
function end_like(code, signal) {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

// process.stdout writes to pipes synchronously: a reader that waits would stop the other lane, too.
function output() {
  try {
    return new net.Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout;  // a file
  }
}

function between_pipes() {
  const child = start(options.command, ['pipe', 'pipe', 'inherit']);
  let ended;
  let is_read = false;
  const leave = () => {
    if (ended && is_read) end_like(...ended);
  };
  const read = () => {
    is_read = true;
    leave();
  };
  new Lane('in', process.stdin, child.stdin, false);
  new Lane('out', child.stdout, output(), false).done = read;
  child.on('exit', (...how) => {
    ended = how;
    leave();
    setTimeout(read, kLastWords).unref();  // a process of its own may hold its output open
    child.stdin.destroy();
  });
}

// listen(URL, THEN): a TCP proxy before the server at URL; calls THEN with the URL to use in its place.
function listen(url, then) {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  let count = 0;
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const number = ++count;
    const far = net.connect({ host, port: Number(port || 80), allowHalfOpen: true, noDelay: true });
    new Lane(`${number} up`, near, far, true);
    new Lane(`${number} down`, far, near, true);
  });
  server.listen(0, '127.0.0.1', () => {
    const ours = new URL(url);
    ours.hostname = '127.0.0.1';
    ours.port = server.address().port;
    then(ours.href, server);
  });
}

function before_client() {
  const words = options.command;
  listen(words.at(-1), (url, server) => {
    const child = start([...words.slice(0, -1), url], 'inherit');
    child.on('exit', (...how) => {
      // What it said last is still on its way.
      server.close(() => end_like(...how));
      setTimeout(() => end_like(...how), kLastWords).unref();
    });
  });
}

const options = parse(process.argv.slice(2));
if (options.upstream) {
  listen(options.upstream, (url) => console.log(`listening on ${url}`));
} else if (options.is_client) {
  before_client();
} else {
  between_pipes();
}
