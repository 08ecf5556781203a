// A client of the revisions that begin with initialize: 2024-11-05 to 2025-11-25.
import { Stdio } from './stdio.mjs';
import { Http } from './http.mjs';
import { answer } from './answers.mjs';
import { Receiver } from './receiver.mjs';
import { idsOf, tokensOf } from './ids.mjs';
import { sleep } from './traits.mjs';

// What belongs to a task says so, answers to its questions included.
const relatedTask = 'io.modelcontextprotocol/related-task';

export class Handshake {
  constructor(task) {
    this.task = task;
    this.seen = [];              // ids of questions that came, and that no request of ours had yet
    this.known = new Set();
    this.nextId = idsOf(task.ids, this.seen);
    this.nextToken = tokensOf(task.progressTokens);
    this.pending = new Map();    // our requests that are open: id -> {resolve, reject, touch, token}
    this.cancelled = new Set();  // ids of questions that the server took back
    this.waiting = [];           // questions that a client with one thread answers later
    this.receiver = new Receiver(task, (method, params) => this.notify(method, params));
    const take = (message) => this.take(message);
    this.transport = task.url
      ? new Http(task, take, (id, why) => this.fail(id, why), () => this.restart())
      : new Stdio(task, take, () => this.failAll('the server exited'));
  }

  async connect() {
    await sleep(this.task.startDelay);
    this.transport.open();
    if (this.task.probeFirst) await this.probe();
    if (this.task.earlyPing) setTimeout(() => this.request('ping').catch(() => {}), 1);
    await this.initialize();
    if (this.task.pingEvery) this.pinging = setInterval(() => this.request('ping').catch(() => {}), this.task.pingEvery);
    if (['after', 'often'].includes(this.task.getStream)) await this.transport.listenAll?.();
    if (this.task.getStream === 'first') await this.transport.listenAnew?.();
  }

  /** What a client of both eras sends first; an older server answers with any error, or not at all. */
  async probe() {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'sound', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };
    await this.request('server/discover', { _meta }, { timeout: 500, silent: true }).catch(() => {});
  }

  async initialize() {
    const result = await this.request('initialize', {
      protocolVersion: this.task.latestFirst ? '2025-11-25' : this.task.revision, capabilities: this.task.capabilities, clientInfo: { name: 'sound', version: '1' },
    }, { keep: true });
    const known = this.task.latestFirst ? ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] : [this.task.revision];
    if (!known.includes(result.protocolVersion)) throw new Error(`the server speaks ${result.protocolVersion}`);
    this.transport.version = result.protocolVersion;
    this.server = result.capabilities ?? {};
    await sleep(this.task.initializedDelay);
    const sent = this.notify('notifications/initialized');
    if (!this.task.overtake) await sent;
  }

  /** The session is gone: everything that was open is lost, and another session begins. */
  restart() {
    this.restarting ??= (async () => {
      this.transport.session = null;
      this.failAll('the session ended', true);
      await sleep(this.task.restartDelay);
      await this.initialize();
      if (this.task.getStream !== 'never') await this.transport.listen();
      this.restarting = null;
    })().catch(() => {});
  }

  async request(method, params, { timeout = this.task.timeout, keep = false, silent = false } = {}) {
    if (method !== 'ping') await sleep(this.task.requestDelay);
    const id = this.nextId();
    const token = method === 'tools/call' ? this.nextToken() : undefined;
    let filled = params;
    if (token !== undefined) filled = { ...params, _meta: { ...params._meta, progressToken: token } };
    if (this.task.params === 'full') filled = { ...filled, _meta: { 'com.example/sound': true, ...filled?._meta } };
    if (this.task.modernHabits && method !== 'initialize') filled = { ...filled, _meta: { ...filled?._meta, 'io.modelcontextprotocol/logLevel': 'info' } };
    const answered = new Promise((resolve, reject) => this.expect(id, { resolve, reject, token, timeout, keep: keep || silent }));
    answered.catch(() => {});
    if (method === 'tools/call' && !params.task && this.task.cancelAfter >= 0) this.cancelSoon(id);
    this.transport.send({ jsonrpc: '2.0', id, method, ...(filled && { params: filled }) });
    return answered;
  }

  /** A user that changes their mind: the request is cancelled unless its answer is there. */
  async cancelSoon(id) {
    if (this.task.cancelAfter > 0) await sleep(this.task.cancelAfter);
    else await null;
    if (!this.pending.has(id)) return;
    this.fail(id, 'cancelled');
    this.notify('notifications/cancelled', { requestId: id });
  }

  /** Notes an open request, and gives it up when its time is over: initialize is never cancelled. */
  expect(id, { resolve, reject, token, timeout, keep }) {
    let timer;
    const giveUp = () => {
      if (!this.pending.delete(id)) return;
      clearTimeout(timer);
      clearTimeout(end);
      if (!keep) this.notify('notifications/cancelled', { requestId: id, reason: 'it took too long' });
      reject(new Error('timed out'));
    };
    const end = this.task.maxTimeout ? setTimeout(giveUp, Math.max(timeout, this.task.maxTimeout)) : null;
    timer = timeout ? setTimeout(giveUp, timeout) : null;
    const done = (settle) => (value) => {
      clearTimeout(timer);
      clearTimeout(end);
      this.pending.delete(id);
      settle(value);
      this.catchUp();
    };
    const touch = () => {
      clearTimeout(timer);
      if (timeout) timer = setTimeout(giveUp, timeout);
    };
    this.pending.set(id, { resolve: done(resolve), reject: done(reject), touch, token });
  }

  notify(method, params) {
    return this.transport.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  fail(id, why, lost = false) {
    const error = new Error(why);
    error.sessionLost = lost;
    this.pending.get(id)?.reject(error);
  }

  failAll(why, lost) {
    for (const id of [...this.pending.keys()]) this.fail(id, why, lost);
  }

  /** Any message of the server, or a batch of them, which 2025-03-26 has. */
  async take(message) {
    if (!Array.isArray(message)) {
      const reply = await this.takeOne(message);
      if (reply) await this.transport.send(reply);
      return;
    }
    if (this.task.revision !== '2025-03-26') return;
    const replies = (await Promise.all(message.map((one) => this.takeOne(one)))).filter(Boolean);
    if (replies.length) await this.transport.send(replies);
  }

  /** Returns the reply, if there is to be one. */
  async takeOne(message) {
    if (message === null || typeof message !== 'object') return null;
    if (message.method === undefined) {
      const open = this.pending.get(message.id);
      if (!open) return null;  // it answers nothing that is open: it may have been given up
      if (message.error) open.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
      else open.resolve(message.result);
      return null;
    }
    if (message.id === undefined || message.id === null) {
      if (typeof message.method === 'string') this.heed(message);
      return null;
    }
    const reply = { jsonrpc: '2.0', id: message.id };
    if (typeof message.method !== 'string') return { ...reply, error: { code: -32600, message: 'Invalid Request' } };
    if (!this.known.has(message.id)) this.seen.push(message.id);
    this.known.add(message.id);
    if (this.task.answerLate && this.pending.size) await new Promise((resolve) => this.waiting.push(resolve));
    const { method, params } = message;
    const token = params?._meta?.progressToken;
    const ours = this.receiver.takes(method, params);
    if (this.task.tellProgress && token !== undefined && !ours) {
      this.notify('notifications/progress', { progressToken: token, progress: 0.5, message: 'half of it' });
      this.notify('notifications/progress', { progressToken: token, progress: 1, total: 1 });
    }
    const said = ours ? await this.receiver.handle(method, params) : await answer(this.task, method, params);
    if (method === 'roots/list' && this.task.changeRoots && !this.task.rootsChanged) this.changeRoots();
    if (this.cancelled.has(message.id)) return null;
    const related = params?._meta?.[relatedTask];
    if (related && said.result && !method.startsWith('tasks/')) said.result = { ...said.result, _meta: { ...said.result._meta, [relatedTask]: related } };
    return { ...reply, ...said };
  }

  /** Soon after they were asked for, there are other roots. */
  async changeRoots() {
    await sleep(20);
    this.task.rootsChanged = true;
    if (this.task.capabilities.roots.listChanged) this.notify('notifications/roots/list_changed');
  }

  heed({ method, params }) {
    if (method === 'notifications/cancelled') this.cancelled.add(params?.requestId);
    if (method === 'notifications/progress') {
      for (const open of this.pending.values()) if (open.token !== undefined && open.token === params?.progressToken) open.touch();
    }
  }

  /** A client with one thread has its answer now, and turns to what it was asked. */
  catchUp() {
    if (this.pending.size) return;
    for (const go of this.waiting.splice(0)) go();
  }

  async close() {
    clearInterval(this.pinging);
    this.catchUp();
    await this.transport.close();
  }
}
