// The part of a server that knows no transport: eras, sessions, requests, and their cancellation.

import {methodsFor, modernResult} from './methods.mjs';
import {errorMessage, isObject, keyOf, LEVELS, META, MODERN, RpcError, validId} from './protocol.mjs';

// What an `initialize` begins. Over stdio there is one, over HTTP one per session id.
export class Session {
  revision;              // Once it is negotiated.
  ready = false;         // Whether the client said that it is initialized.
  level = 'info';        // Log messages below it are not sent.
  client = {};           // The capabilities of the client.
  watched = new Set();   // The resources that the client subscribed to.
  running = new Map();   // Requests in progress, by id, for cancellation.
  asked = new Map();     // Requests of ours that the client has not answered yet.
  asks = 0;
  timers = [];

  // `push` sends what belongs to no request of the client.
  constructor(push, ids = []) {
    this.push = push;
    this.ids = ids;  // The first ids of our requests.
  }

  notify(method, params) {
    const message = {jsonrpc: '2.0', method};
    if (params !== undefined) message.params = params;
    this.push(message);
  }

  // Asks the client, and gives up after `patience` milliseconds, with a cancellation.
  ask(method, params, {send = this.push, patience = 3000} = {}) {
    const id = this.ids[this.asks++] ?? `of-the-server-${this.asks}`;
    const message = {jsonrpc: '2.0', id, method};
    if (params !== undefined) message.params = params;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.asked.delete(keyOf(id));
        send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: {requestId: id, reason: 'no answer came in time'},
        });
        reject(new Error('no answer'));
      }, patience);
      this.asked.set(keyOf(id), {resolve, reject, timer});
      send(message);
    });
  }

  answered(message) {
    const waiting = validId(message.id) ? this.asked.get(keyOf(message.id)) : undefined;
    if (!waiting) return;
    this.asked.delete(keyOf(message.id));
    clearTimeout(waiting.timer);
    if ('result' in message) waiting.resolve(message.result);
    else waiting.reject(new Error(message.error?.message));
  }

  // Runs `action` every so many milliseconds while the session lasts.
  every(period, action) {
    this.timers.push(setInterval(action, period));
  }

  end() {
    this.timers.forEach(clearInterval);
    for (const {timer} of this.asked.values()) clearTimeout(timer);
  }
}

export class Peer {
  subscriptions = new Map();  // Of 2026-07-28, by a key of the transport's.

  constructor(traits) {
    this.traits = traits;
    this.legacy = traits.revisions.filter((revision) => revision !== MODERN);
    this.modern = traits.revisions.includes(MODERN);
  }

  capabilities(revision) {
    const kept = {...this.traits.capabilities};
    if (revision < '2025-03-26') delete kept.completions;
    if (revision !== '2025-11-25') delete kept.tasks;
    return kept;
  }

  isModern(message) {
    if (!this.modern) return false;
    return !this.legacy.length ||
        message.params?._meta?.[`${META}protocolVersion`] !== undefined;
  }

  newest() {
    return this.traits.revisions.at(-1);
  }

  // Handles one message, and returns the response, if there is one to be sent. `lane` sends what
  // belongs to this message: it has `send`, and `status` is told what HTTP has to say.
  async handle(message, session, lane) {
    const revision = session?.revision ?? this.newest();
    if (!isObject(message) || message.jsonrpc !== '2.0') {
      const id = isObject(message) && validId(message.id) ? message.id : undefined;
      return this.failed(id, new RpcError(-32600, 'Not a message of JSON-RPC 2.0', undefined, 400),
                         revision, lane);
    }
    if (!('method' in message)) {
      if ('result' in message || 'error' in message) {
        session?.answered(message);
        return undefined;
      }
      return this.failed(validId(message.id) ? message.id : undefined,
                         new RpcError(-32600, 'No method', undefined, 400), revision, lane);
    }
    if (!('id' in message)) {
      this.notified(message, session, lane);
      return undefined;
    }
    if (!validId(message.id) || typeof message.method !== 'string') {
      return this.failed(validId(message.id) ? message.id : undefined,
                         new RpcError(-32600, 'Invalid request', undefined, 400), revision, lane);
    }
    return this.request(message, session, lane);
  }

  failed(id, error, revision, lane) {
    if (!(error instanceof RpcError)) {
      process.stderr.write(`${error.stack}\n`);
      error = new RpcError(-32603, 'Internal error');
    }
    if (lane && error.status) lane.status = error.status;
    return errorMessage(id, error, revision);
  }

  notified(message, session, lane) {
    const {method, params} = message;
    if (method === 'notifications/initialized' && session?.revision && !session.ready) {
      session.ready = true;
      this.traits.onReady?.(session, this);
    }
    if (method === 'notifications/cancelled' && validId(params?.requestId)) {
      const key = keyOf(params.requestId);
      session?.running.get(key)?.abort();
      this.subscriptions.delete(lane.subscriptionKey?.(params.requestId));
    }
  }

  async request(message, session, lane) {
    const modern = lane.modern || this.isModern(message);
    const stop = new AbortController();
    const running = session?.running;
    const key = keyOf(message.id);
    // The request `initialize` cannot be cancelled.
    if (message.method !== 'initialize') running?.set(key, stop);
    lane.signal?.addEventListener('abort', () => stop.abort());
    let revision = modern ? MODERN : session?.revision ?? this.newest();
    try {
      const context = modern ? this.modernContext(message) : this.legacyContext(message, session);
      Object.assign(context, {peer: this, session, lane, message, signal: stop.signal});
      revision = context.revision ?? revision;
      await this.traits.before?.(context);
      let result = await this.answer(context);
      revision = context.revision ?? revision;
      if (stop.signal.aborted && !context.unstoppable) return undefined;
      await this.traits.after?.(context);
      if (this.traits.meta) result = {...result, _meta: {...this.traits.meta, ...result._meta}};
      if (modern && result) result = modernResult(this, message.method, result);
      return result && {jsonrpc: '2.0', id: message.id, result};
    } catch (error) {
      return stop.signal.aborted ? undefined : this.failed(message.id, error, revision, lane);
    } finally {
      running?.delete(key);
    }
  }

  // What a tool needs to know of its request, and how it talks to the client meanwhile.
  context(message, revision, level, capabilities, token) {
    let progressed = -Infinity;
    const params = message.params ?? {};
    return {
      revision, params, client: capabilities, method: message.method,
      notify(method, more) {
        if (!this.signal.aborted) this.lane.send({jsonrpc: '2.0', method, params: more});
      },
      progress(progress, total, words) {
        if (token === undefined || !(progress > progressed)) return;
        progressed = progress;
        const more = {progressToken: token, progress, total};
        if (revision >= '2025-03-26') more.message = words;
        this.notify('notifications/progress', more);
      },
      log(importance, data) {
        if (!this.peer.traits.capabilities.logging || level === undefined) return;
        const least = revision === MODERN ? level : this.session.level;
        if (LEVELS.indexOf(importance) < LEVELS.indexOf(least)) return;
        this.notify('notifications/message', {level: importance, logger: 'sound', data});
      },
      capable(name) {
        return this.peer.capabilities(revision)[name] !== undefined;
      },
      ask(method, more, patience) {
        return this.session.ask(method, more, {send: this.lane.send, patience});
      },
    };
  }

  legacyContext(message, session) {
    const {method, params} = message;
    if (params !== undefined && !isObject(params)) {
      throw new RpcError(-32602, 'params has to be an object');
    }
    if (method === 'initialize') {
      if (session.revision) throw new RpcError(-32600, 'This session is initialized already');
      if (!this.legacy.length) throw new RpcError(-32601, 'Method not found');
    } else if (!session.revision && method !== 'ping') {
      throw new RpcError(this.modern ? -32602 : -32600, 'This session is not initialized yet');
    }
    const given = params?._meta?.progressToken;
    return this.context(message, session.revision, session.level, session.client,
                        validId(given) ? given : undefined);
  }

  modernContext(message) {
    const {method, params} = message;
    const supported = this.traits.revisions;
    if (params !== undefined && !isObject(params)) {
      throw new RpcError(-32602, 'params has to be an object', undefined, 400);
    }
    const meta = params?._meta ?? {};
    const version = meta[`${META}protocolVersion`];
    const refuse = (what) => {
      const hint = method === 'initialize' ? `; the supported versions are ${supported}` : '';
      throw new RpcError(-32602, `${what}${hint}`, {supported}, 400);
    };
    if (typeof version !== 'string') refuse(`${META}protocolVersion is missing in _meta`);
    if (version !== MODERN) {
      throw new RpcError(
          -32022, 'Unsupported protocol version', {supported, requested: version}, 400);
    }
    const client = meta[`${META}clientCapabilities`];
    if (!isObject(client)) refuse(`${META}clientCapabilities is missing in _meta`);
    const level = meta[`${META}logLevel`];
    if (level !== undefined && !LEVELS.includes(level)) refuse('There is no such log level');
    const token = validId(meta.progressToken) ? meta.progressToken : undefined;
    return this.context(message, MODERN, level, client, token);
  }

  async answer(context) {
    const {method, revision} = context;
    if (method === 'initialize') return this.initialize(context);
    if (revision === MODERN) {
      if (method === 'server/discover') return this.discover();
      if (method === 'subscriptions/listen') return this.listen(context);
    }
    const own = this.traits.methods?.[method];
    const known = methodsFor(revision, this.capabilities(revision));
    const chosen = own ?? (Object.hasOwn(known, method) ? known[method] : undefined);
    if (chosen) return chosen(context);
    const hint = method === 'initialize' ? `; supported versions: ${this.traits.revisions}` : '';
    throw new RpcError(-32601, `Method not found${hint}`, undefined,
                       revision === MODERN ? 404 : undefined);
  }

  initialize(context) {
    const {params, session} = context;
    if (typeof params.protocolVersion !== 'string' || !isObject(params.capabilities) ||
        !isObject(params.clientInfo)) {
      throw new RpcError(-32602, 'initialize needs protocolVersion, capabilities and clientInfo');
    }
    const revision = this.legacy.includes(params.protocolVersion) ?
        params.protocolVersion : this.legacy.at(-1);
    session.revision = context.revision = revision;
    session.client = params.capabilities;
    const {name, version, ...more} = this.traits.info;
    const serverInfo = {name, version};
    if (revision >= '2025-06-18' && more.title) serverInfo.title = more.title;
    if (revision >= '2025-11-25') Object.assign(serverInfo, more);
    const result = {
      protocolVersion: revision, capabilities: this.capabilities(revision), serverInfo,
    };
    if (this.traits.instructions) result.instructions = this.traits.instructions;
    return result;
  }

  discover() {
    const result = {
      supportedVersions: this.traits.revisions, capabilities: this.capabilities(MODERN),
    };
    if (this.traits.instructions) result.instructions = this.traits.instructions;
    return result;
  }

  // A stream of notifications (2026-07-28). The promise settles when the stream ends.
  listen(context) {
    const {params, message, lane} = context;
    const wanted = params.notifications;
    if (!isObject(wanted)) throw new RpcError(-32602, 'notifications has to be an object');
    const {tools, prompts, resources} = this.capabilities(MODERN);
    const honored = {};
    if (wanted.toolsListChanged && tools?.listChanged) honored.toolsListChanged = true;
    if (wanted.promptsListChanged && prompts?.listChanged) honored.promptsListChanged = true;
    if (wanted.resourcesListChanged && resources?.listChanged) honored.resourcesListChanged = true;
    if (Array.isArray(wanted.resourceSubscriptions) && resources?.subscribe) {
      honored.resourceSubscriptions = wanted.resourceSubscriptions;
    }
    const mark = {[`${META}subscriptionId`]: message.id};
    const send = (method, more) =>
        lane.send({jsonrpc: '2.0', method, params: {_meta: mark, ...more}});
    const key = lane.subscriptionKey(message.id);
    send('notifications/subscriptions/acknowledged', {notifications: honored});
    return new Promise((resolve) => {
      // The server ends a stream with a cancellation, and then with the result.
      const end = () => {
        this.subscriptions.delete(key);
        send('notifications/cancelled', {requestId: message.id, reason: 'The server ends this'});
        resolve({_meta: mark});
      };
      const subscription = {honored, send, end};
      this.subscriptions.set(key, subscription);
      context.signal.addEventListener('abort', () => {
        this.subscriptions.delete(key);
        resolve(undefined);
      });
      this.traits.onListen?.(subscription, this);
    });
  }
}
