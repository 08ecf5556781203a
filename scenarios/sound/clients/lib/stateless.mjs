// A client of 2026-07-28, which has no handshake: each request says all that is to be known.
import { Stdio } from './stdio.mjs';
import { Posts } from './posts.mjs';
import { Handshake } from './handshake.mjs';
import { answer } from './answers.mjs';
import { idsOf, tokensOf } from './ids.mjs';
import { repeatedParameters } from './parameters.mjs';
import { sleep } from './traits.mjs';

const version = '2026-07-28';
const key = (name) => `io.modelcontextprotocol/${name}`;
const modernErrors = [-32020, -32021, -32022];

export class Stateless {
  constructor(task) {
    this.task = task;
    this.nextId = idsOf(task.ids);
    this.nextToken = tokensOf(task.progressTokens);
    this.pending = new Map();   // id -> {resolve, reject, touch, token}
    this.subscription = null;   // the id of our subscriptions/listen
    this.server = { tools: {}, prompts: {}, resources: {} };  // until we know better, all is tried
    const take = (message) => this.take(message);
    this.transport = task.url ? new Posts(task, take) : new Stdio(task, take, () => this.revive());
  }

  async connect() {
    await sleep(this.task.startDelay);
    this.transport.open();
    if (this.task.initializeFirst) await this.tryInitialize();
    if (!this.task.probe) return;
    try {
      if (this.task.older) return this.fallBack(this.task.older);  // we know it from the first time
      const result = await this.request('server/discover', undefined, { timeout: this.task.timeout });
      if (Array.isArray(result.supportedVersions) && !result.supportedVersions.includes(version)) throw new Error('no version in common');
      this.server = result.capabilities ?? {};
    } catch (error) {
      if (modernErrors.includes(error.code) || error.message === 'no version in common') throw error;
      return this.fallBack(error);
    }
    if (this.task.listen) for (let i = 0; i < this.task.subscriptions; i++) this.listen();
  }

  /** A client of both eras may begin with initialize over HTTP, and learns from the error that the server has none. */
  async tryInitialize() {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'sound', version: '1' } };
    await this.transport.sendOlder({ jsonrpc: '2.0', id: this.nextId(), method: 'initialize', params });
  }

  /** The server is of the older era, as it answered with no error of the newer one, or not at all. */
  async fallBack(error) {
    if (!this.task.fallBack) throw error;
    if (this.task.url && !error.status) throw error;
    this.task.older = error;
    const task = { ...this.task, revision: '2025-11-25', probeFirst: false, startDelay: 0 };
    this.older = new Handshake(task);
    if (!this.task.url) {
      // The process goes on: from here on its messages are for the client of the older era.
      this.older.transport = this.transport;
      this.older.nextId = this.nextId;
      this.transport.onMessage = (message) => this.older.take(message);
      this.transport.onGone = () => this.older.failAll('the server exited');
      await this.older.initialize();
    } else {
      await this.older.connect();
    }
    this.server = this.older.server;
    this.request = (...words) => this.older.request(...words);
    this.usable = undefined;
  }

  meta(token, method) {
    const _meta = {
      [key('protocolVersion')]: version,
      [key('clientInfo')]: { name: 'sound', version: '1' },
      [key('clientCapabilities')]: this.task.varyCapabilities && !['tools/call', 'prompts/get', 'resources/read'].includes(method) ? {} : this.task.capabilities,
    };
    if (this.task.trace) {
      Object.assign(_meta, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01', tracestate: 'sound=1', baggage: 'user=ada', 'com.example.mcp/a.b_c-1': [null, { x: 1 }], '': 0 });
    }
    if (token !== undefined) _meta.progressToken = token;
    return _meta;
  }

  /** A request with all its rounds: refused versions, lost streams, changed headers, input that the server wants. */
  async request(method, params, options = {}) {
    await sleep(this.task.requestDelay);
    await this.reviving;
    let extra = {};
    const tries = { version: 0, lost: 0, header: 0, rounds: 0 };
    let { tool } = options;
    for (;;) {
      let result;
      try {
        result = await this.once(method, { ...params, ...extra }, { ...options, tool });
      } catch (error) {
        if (error.code === -32022 && error.data?.supported?.includes(version) && tries.version++ < 2) continue;
        if (error.lost && tries.lost++ < 2) {
          await sleep(this.task.reviveDelay);
          continue;
        }
        if (error.code === -32020 && tool && tries.header++ < 1) {
          tool = await this.lookUp(tool.name);
          if (tool) continue;
        }
        throw error;
      }
      const type = result.resultType ?? 'complete';
      if (type === 'complete') return result;
      if (type !== 'input_required' || tries.rounds++ > 5) throw new Error(`a result of the type ${type}`);
      if (this.task.abandon) throw new Error('the user has other things to do');
      if (!['tools/call', 'resources/read', 'prompts/get'].includes(method)) throw new Error(`${method} cannot ask for input`);
      extra = await this.gather(result);
    }
  }

  /** What the next round carries: what the server asked for, and its state, unseen. */
  async gather({ inputRequests, requestState }) {
    const extra = {};
    if (inputRequests !== undefined) {
      extra.inputResponses = {};
      for (const [name, question] of Object.entries(inputRequests)) {
        const said = await answer(this.task, question.method, question.params);
        if (said.error) throw new Error(`no input: ${said.error.message}`);  // nothing waits for an error
        extra.inputResponses[name] = said.result;
      }
    }
    if (requestState !== undefined) extra.requestState = requestState;
    return extra;
  }

  async lookUp(name) {
    let cursor;
    do {
      const page = await this.request('tools/list', cursor === undefined ? undefined : { cursor });
      const found = this.usable(page.tools).find((tool) => tool.name === name);
      if (found) return found;
      cursor = page.nextCursor;
    } while (cursor !== undefined && cursor !== null);
    return null;
  }

  once(method, params, { timeout = this.task.timeout, tool } = {}) {
    const id = this.nextId();
    const token = method === 'tools/call' ? this.nextToken() : undefined;
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: this.meta(token, method) } };
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!this.pending.delete(id)) return;
        clearTimeout(timer);
        clearTimeout(end);
        this.cancel(id);
        reject(new Error(`${method} timed out`));
      };
      let timer;
      const end = this.task.maxTimeout ? setTimeout(giveUp, Math.max(timeout, this.task.maxTimeout)) : null;
      timer = timeout ? setTimeout(giveUp, timeout) : null;
      const done = (settle) => (value) => {
        clearTimeout(timer);
        clearTimeout(end);
        this.pending.delete(id);
        settle(value);
      };
      const touch = () => {
        clearTimeout(timer);
        if (timeout) timer = setTimeout(giveUp, timeout);
      };
      this.pending.set(id, { resolve: done(resolve), reject: done(reject), touch, token });
      if (method === 'tools/call' && this.task.cancelAfter >= 0) setTimeout(() => this.pending.has(id) && giveUp(), this.task.cancelAfter);
      this.transport.send(message, tool).then((lost) => lost && this.pending.get(id)?.reject(lost));
    });
  }

  /** Over HTTP the end of the stream says it; over stdio a notification. */
  cancel(id) {
    if (this.task.url) return this.transport.drop(id);
    return this.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'no longer needed' } });
  }

  /** Listens for changes of what the server has, if it says that it tells of them. */
  listen() {
    const notifications = {};
    for (const [kind, name] of [['tools', 'toolsListChanged'], ['prompts', 'promptsListChanged'], ['resources', 'resourcesListChanged']]) {
      if (this.server[kind]?.listChanged) notifications[name] = true;
    }
    if (!Object.keys(notifications).length) return;
    const id = this.nextId();
    this.subscription = id;
    const ended = () => { if (this.subscription === id) this.subscription = null; };
    this.pending.set(id, { resolve: ended, reject: ended, touch() {} });
    this.transport.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta: this.meta() } }).then((lost) => lost && ended());
  }

  async relisten() {
    const id = this.subscription;
    if (id === null) return;
    this.pending.delete(id);
    await this.cancel(id);
    this.listen();
  }

  /** The server exited: it is started again, and listened to again; what was open is lost. */
  async revive() {
    const listening = this.subscription !== null;
    const open = [...this.pending.values()];
    this.pending.clear();
    this.subscription = null;
    this.revived = (this.revived ?? 0) + 1;
    if (this.revived <= 3) {
      this.reviving = sleep(this.task.reviveDelay).then(() => {
        this.transport.open();
        if (listening) this.listen();
      });
    }
    for (const one of open) one.reject(new Error('the server exited'));
    await this.reviving;
  }

  take(message) {
    if (message === null || typeof message !== 'object') return;
    if (message.method === 'notifications/progress') {
      for (const open of this.pending.values()) if (open.token !== undefined && open.token === message.params?.progressToken) open.touch();
    }
    if (message.method !== undefined) return;  // no requests come from servers, and none would be answered
    const open = this.pending.get(message.id);
    if (!open) return;
    if (message.error) open.reject(Object.assign(new Error(message.error.message), message.error, { status: message.status }));
    else if (message.result && typeof message.result === 'object') open.resolve(message.result);
    else open.reject(new Error('no result'));
  }

  /** Tools whose header fields break the rules are left out, and a warning says so. */
  usable(tools) {
    if (!this.task.url) return tools;
    return tools.filter((tool) => {
      const good = repeatedParameters(tool) !== null;
      if (!good) console.error(`warning: the tool ${tool.name} is left out: its x-mcp-header is not valid`);
      return good;
    });
  }

  async close() {
    if (this.subscription !== null) {
      this.pending.delete(this.subscription);
      await this.cancel(this.subscription);
    }
    await (this.older ?? this).transport.close();
  }
}
