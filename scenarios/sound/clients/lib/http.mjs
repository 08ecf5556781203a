// Streamable HTTP of 2025-03-26 to 2025-11-25, and HTTP+SSE of 2024-11-05, to which it falls back.
import { ask, written, textOf, eventsOf } from './wire.mjs';
import { sleep } from './traits.mjs';

const isRequest = (message) => message.method !== undefined && message.id !== undefined;

export class Http {
  /** `onMessage(message)` is called for each message, `onLost(id, why)` where no answer can come, `onExpired()` where the session is gone. */
  constructor(task, onMessage, onLost, onExpired) {
    Object.assign(this, { task, onMessage, onLost, onExpired, session: null, version: null, answered: new Set(), streams: new Set(), sending: new Set() });
    this.stopped = new AbortController();
    this.postUrl = task.url;
  }

  open() {
    if (this.task.getStream === 'first') this.listen();
  }

  /** The header fields of each request but those for its body. */
  fields(more) {
    const fields = { ...more };
    if (this.session) fields['Mcp-Session-Id'] = this.session;
    // A client that leaves before it has read the answer to initialize names the version that it asked for.
    const version = this.version ?? (this.session ? this.task.revision : undefined);
    if (version >= '2025-06-18') fields['MCP-Protocol-Version'] = version;
    if (this.task.modernHabits) fields['MCP-Protocol-Version'] = this.version ?? this.task.revision;
    return fields;
  }

  /** Of those that overtake each other notifications are the slowest, and requests the fastest. */
  slowness(message) {
    if (!this.task.overtake || isRequest(message)) return 0;
    return message.method ? 200 : 50;
  }

  /** Notes what is on its way without an answer to come, so that it arrives before we leave. */
  send(message) {
    const sent = this.transmit(message);
    if (!isRequest(message)) {
      this.sending.add(sent);
      sent.finally(() => this.sending.delete(sent));
    }
    return sent;
  }

  /** Sends a message and gives what comes back to `onMessage`; resolves when the message was taken. */
  async transmit(message) {
    if (this.old) return this.sendToOld(message);
    const fields = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    if (this.task.modernHabits && message.method) fields['Mcp-Method'] = message.method;
    let response;
    const session = this.session;
    try {
      response = await ask(this.task, 'POST', this.postUrl, this.fields(fields), written(this.task, message), { slowly: this.slowness(message), signal: this.stopped.signal });
    } catch (error) {
      this.onLost(message.id, String(error));
      return;
    }
    this.session ??= message.method === 'initialize' ? response.headers['mcp-session-id'] ?? null : null;
    if (/^text\/event-stream/i.test(response.headers['content-type'] ?? '') && response.statusCode === 200) {
      this.follow(response, message.id);
      return;
    }
    const text = await textOf(response).catch(() => '');
    if (response.statusCode === 404 && session) return this.onExpired(message);
    if (message.method === 'initialize' && [400, 404, 405].includes(response.statusCode) && await this.openOld()) return this.send(message);
    this.deliver(text);
    if (isRequest(message) && !this.answered.has(message.id)) this.onLost(message.id, `HTTP status ${response.statusCode}`);
  }

  deliver(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    for (const one of Array.isArray(message) ? message : [message]) {
      if (one && one.method === undefined) this.answered.add(one.id);
    }
    this.onMessage(message);
  }

  /** Reads a stream of events to its end, and resumes it where an answer is missing (or, of the GET stream, always). */
  async follow(response, id) {
    let last, retry = 300;
    const missing = () => !this.stopped.signal.aborted && (id === undefined || !this.answered.has(id));
    for (let attempt = 0; ; attempt++) {
      this.streams.add(response);
      try {
        for await (const event of eventsOf(response)) {
          if (event.id !== undefined) last = event.id;
          if (event.retry !== undefined) retry = event.retry;
          if (event.data) this.deliver(event.data);
          if (this.task.dropStreams && event.id !== undefined && attempt < 3 && missing()) {
            response.destroy();
            break;
          }
        }
      } catch {
        // A stream that breaks off is one that has ended.
      }
      this.streams.delete(response);
      if (!missing()) return;
      if (!this.task.resume || last === undefined || attempt === 5) break;
      await sleep(retry + 20);
      if (!missing()) return;
      try {
        response = await ask(this.task, 'GET', this.postUrl, this.fields({ Accept: 'text/event-stream', 'Last-Event-ID': last }), undefined, { signal: this.stopped.signal });
      } catch {
        break;
      }
      if (response.statusCode !== 200) {
        response.resume();
        break;
      }
    }
    if (id !== undefined) this.onLost(id, 'the stream ended');
  }

  /** Opens the stream for what the server has to say by itself. */
  async listen() {
    try {
      const response = await ask(this.task, 'GET', this.postUrl, this.fields({ Accept: 'text/event-stream' }), undefined, { signal: this.stopped.signal });
      if (response.statusCode === 200 && /^text\/event-stream/i.test(response.headers['content-type'] ?? '')) {
        this.getStream = response;
        this.follow(response, undefined);
      } else {
        response.resume();
      }
    } catch {
      // There is no such stream, which is the server's right.
    }
  }

  async listenAll() {
    await Promise.all(Array.from({ length: this.task.getStreams }, () => this.listen()));
  }

  async listenAnew() {
    this.getStream?.destroy();
    await this.listen();
  }

  /** HTTP+SSE: a stream for all that the server says, whose first event tells where to POST. */
  async openOld() {
    const response = await ask(this.task, 'GET', this.task.url, { Accept: 'text/event-stream' }, undefined, { signal: this.stopped.signal }).catch(() => null);
    if (!response) return false;
    if (response.statusCode !== 200) {
      response.resume();
      return false;
    }
    this.streams.add(response);
    const events = eventsOf(response);
    const first = await events.next().catch(() => ({}));
    if (first.value?.event !== 'endpoint') return false;
    this.postUrl = new URL(first.value.data, this.task.url).href;
    this.old = true;
    (async () => {
      try {
        for await (const event of events) if (event.data) this.deliver(event.data);
      } catch {
        // The stream ended; requests time out by themselves.
      }
    })();
    return true;
  }

  async sendToOld(message) {
    try {
      const response = await ask(this.task, 'POST', this.postUrl, { 'Content-Type': 'application/json' }, written(this.task, message), { slowly: this.slowness(message), signal: this.stopped.signal });
      response.resume();
      if (response.statusCode >= 400) this.onLost(message.id, `HTTP status ${response.statusCode}`);
    } catch (error) {
      this.onLost(message.id, String(error));
    }
  }

  async close() {
    await Promise.race([Promise.allSettled(this.sending), sleep(1000)]);
    if (this.session && this.task.deleteSession) {
      await ask(this.task, 'DELETE', this.postUrl, this.fields({}), undefined, {}).then(textOf).catch(() => {});
    }
    this.stopped.abort();
    for (const stream of this.streams) stream.destroy();
  }
}
