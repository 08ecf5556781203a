// The Streamable HTTP transport, of the handshake era and of 2026-07-28, on one endpoint.

import {createServer} from 'node:http';
import {randomUUID} from 'node:crypto';

import {headerFault} from './headers.mjs';
import {PostLane} from './lane.mjs';
import {Session} from './peer.mjs';
import {isObject, MODERN, parse, RpcError, stringify, validId} from './protocol.mjs';
import {Stream} from './sse.mjs';
import {batch} from './stdio.mjs';

const BODY_LIMIT = 8 * 1024 * 1024;

export class HttpServer {
  sessions = new Map();
  streams = 0;

  constructor(peer) {
    this.peer = peer;
    this.traits = {
      answers: 'json',        // 'json', 'sse', or 'mixed': SSE only where something comes first.
      sessions: true,
      sessionId: randomUUID,  // Makes session ids.
      get: true,              // Whether GET opens a stream.
      delete: true,           // Whether clients may end sessions.
      headers: {},            // Further headers of each response.
      ...peer.traits.http,
    };
  }

  start() {
    const server = createServer({keepAlive: true}, (request, response) => {
      this.serve(request, response).catch((error) => {
        process.stderr.write(`${error.stack}\n`);
        if (!response.headersSent) this.reply(response, 500);
        else response.destroy();
      });
    });
    server.keepAliveTimeout = this.traits.keepAliveTimeout ?? 5000;
    this.traits.onServer?.(server, this);
    setTimeout(() => this.listen(server), this.peer.traits.startDelay ?? 0);
  }

  listen(server) {
    server.listen(0, '127.0.0.1', () => {
      this.port = server.address().port;
      process.stdout.write(`listening on http://127.0.0.1:${this.port}/mcp\n`);
    });
  }

  // Header names are written as the trait wants them.
  head(response, status, headers) {
    const name = this.traits.headerCase ?? ((given) => given);
    const all = Object.entries({...headers, ...this.traits.headers});
    response.writeHead(status, all.flatMap(([key, value]) => [name(key), value]));
  }

  reply(response, status, body, headers = {}) {
    if (body === undefined) {
      this.head(response, status, {'Content-Length': '0', ...headers});
      response.end();
      return;
    }
    const text = stringify(body, this.peer.traits.http?.style);
    headers = {'Content-Type': this.traits.jsonType ?? 'application/json', ...headers};
    if (this.traits.halves) {
      this.head(response, status, headers);
      response.write(text.slice(0, text.length / 2));
      setTimeout(() => response.end(text.slice(text.length / 2)), this.traits.halves);
    } else if (this.traits.chunk === undefined) {
      this.head(response, status, {'Content-Length': `${Buffer.byteLength(text)}`, ...headers});
      response.end(text);
    } else {
      this.head(response, status, headers);
      this.write(response, text);
      response.end();
    }
  }

  // Writes a text, in chunks of HTTP of the size that the trait wants.
  write(response, text) {
    const {chunk} = this.traits;
    if (chunk === undefined) {
      response.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunk) response.write(bytes.subarray(at, at + chunk));
  }

  openEvents(response, headers = {}) {
    this.head(response, 200, {
      'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no', ...headers,
    });
    response.flushHeaders();
    if (this.traits.sse?.bom) response.write('\ufeff');
    if (this.traits.comments) {
      const timer = setInterval(() => response.write(': still here\n\n'), this.traits.comments);
      response.on('close', () => clearInterval(timer));
    }
    return {
      write: (text) => this.write(response, text),
      end: () => response.end(),
      onClose: (action) => response.on('close', action),
    };
  }

  async serve(request, response) {
    const {pathname} = new URL(request.url, 'http://127.0.0.1');
    if (pathname !== '/mcp') return this.reply(response, 404);
    const {origin} = request.headers;
    if (origin !== undefined && !this.trusted(origin)) return this.reply(response, 403);
    if (await this.traits.gate?.(request, response, this)) return undefined;
    if (request.method === 'POST') return this.post(request, response);
    // Of the methods but POST, 2026-07-28 has none.
    if (this.peer.legacy.length) {
      if (this.wrongVersion(request)) {
        return this.refuse(response, 400, -32600, 'Unsupported MCP-Protocol-Version');
      }
      if (request.method === 'GET' && this.traits.get) return this.get(request, response);
      if (request.method === 'DELETE' && this.traits.sessions && this.traits.delete) {
        return this.delete(request, response);
      }
    }
    return this.reply(response, 405, undefined, {Allow: 'POST'});
  }

  trusted(origin) {
    return [`http://127.0.0.1:${this.port}`, `http://localhost:${this.port}`].includes(origin);
  }

  refuse(response, status, code, message, id, revision = this.peer.newest()) {
    const error = new RpcError(code, message);
    this.reply(response, status, this.peer.failed(id, error, revision));
  }

  async post(request, response) {
    const body = await readBody(request);
    if (body === undefined) return this.reply(response, 413, undefined, {Connection: 'close'});
    let message;
    try {
      message = parse(new TextDecoder('utf-8', {fatal: true}).decode(body));
    } catch {
      return this.refuse(response, 400, -32700, 'Parse error');
    }
    const {peer} = this;
    const modern = peer.modern && (!peer.legacy.length || peer.isModern(message) ||
                                   request.headers['mcp-protocol-version'] === MODERN);
    return modern ? this.postModern(message, request, response) :
                    this.postLegacy(message, request, response);
  }

  async postModern(message, request, response) {
    const {peer} = this;
    if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') {
      return this.refuse(response, 400, -32600, 'Only a request or a notification is taken');
    }
    const wanted = 'id' in message;
    if (wanted) {
      const fault = headerFault(message, request.headers, peer.traits);
      if (fault) {
        const hint = message.method === 'initialize' ?
            `; the supported versions are ${peer.traits.revisions}` : '';
        return this.refuse(response, 400, -32020, `Header mismatch: ${fault}${hint}`,
                           validId(message.id) ? message.id : undefined);
      }
    }
    const listening = message.method === 'subscriptions/listen';
    const lane = new PostLane(this, response, {
      modern: true,
      streamed: listening || this.traits.answers !== 'json',
      always: listening || this.traits.answers === 'sse',
    });
    return lane.finish(await peer.handle(message, undefined, lane), wanted);
  }

  async postLegacy(message, request, response) {
    const {peer} = this;
    if (this.wrongVersion(request)) {
      return this.refuse(response, 400, -32600, 'Unsupported MCP-Protocol-Version');
    }
    const {answers} = this.traits;
    const lane = new PostLane(this, response,
                              {streamed: answers !== 'json', always: answers === 'sse'});
    let session;
    if (message?.method === 'initialize' && 'id' in message) {
      if (await this.traits.admit?.(request, response, this, message)) return undefined;
      session = this.open();
      if (session.id) lane.headers = {'Mcp-Session-Id': session.id};
    } else {
      session = this.find(request, response);
      if (!session) return undefined;
    }
    const wanted = [message].flat().some((one) => isObject(one) && 'id' in one && 'method' in one);
    if (wanted) lane.attach(session);
    const answer = Array.isArray(message) ? await batch(peer, message, session, lane) :
                                            await peer.handle(message, session, lane);
    if (session.id && !session.revision) this.close(session);
    if (!session.id) session.end();
    return lane.finish(answer, wanted);
  }

  // From 2025-06-18 on, a version in the header that the server does not speak is refused.
  wrongVersion(request) {
    const stated = request.headers['mcp-protocol-version'];
    return stated !== undefined && !this.peer.legacy.includes(stated) &&
        this.peer.legacy.at(-1) >= '2025-06-18';
  }

  open() {
    const session = new Session((message) => this.push(session, message), this.peer.traits.ids);
    session.streams = new Map();
    session.kept = [];
    if (this.traits.sessions) {
      session.id = this.traits.sessionId();
      this.sessions.set(session.id, session);
    }
    return session;
  }

  close(session) {
    session.end();
    this.sessions.delete(session.id);
    for (const stream of session.streams.values()) stream.end();
  }

  // The session that a request belongs to; without one it is refused. A server without sessions
  // makes one for each request.
  find(request, response) {
    if (!this.traits.sessions) {
      const session = this.open();
      const stated = request.headers['mcp-protocol-version'];
      session.revision = stated ?? this.peer.legacy.findLast((known) => known <= '2025-03-26') ??
          this.peer.legacy[0];
      return session;
    }
    const id = request.headers['mcp-session-id'];
    const session = this.sessions.get(id);
    if (id === undefined) this.refuse(response, 400, -32600, 'Mcp-Session-Id is missing');
    else if (!session) this.refuse(response, 404, -32600, 'There is no such session');
    return session;
  }

  newStream(session) {
    const ids = this.traits.get ? undefined : false;
    const stream = new Stream(`stream-${++this.streams}`, {ids, ...this.traits.sse});
    session.streams.set(stream.name, stream);
    if (session.streams.size > 200) session.streams.delete(session.streams.keys().next().value);
    if (ids !== false && session.revision >= '2025-11-25') stream.prime();
    return stream;
  }

  // Messages that belong to no request go to one stream that a GET opened; without one some are
  // kept for it.
  push(session, message) {
    const text = stringify(message, this.peer.traits.http?.style);
    if (session.listening?.connection) session.listening.send(text);
    else if (session.kept.length < 20) session.kept.push(text);
  }

  get(request, response) {
    if (!this.traits.sessions) return this.reply(response, 405, undefined, {Allow: 'POST'});
    const session = this.find(request, response);
    if (!session) return undefined;
    const [, name, count] = /^(.*)-(\d+)$/.exec(request.headers['last-event-id'] ?? '') ?? [];
    const resumed = session.streams.get(name);
    if (!resumed && this.traits.get === 'resume') {
      return this.reply(response, 405, undefined, {Allow: 'POST'});
    }
    const stream = resumed ?? this.newStream(session);
    stream.attach(this.openEvents(response), resumed ? Number(count) : 0);
    if (!resumed || resumed === session.listening) {
      session.listening = stream;
      for (const text of session.kept.splice(0)) stream.send(text);
      this.traits.onGet?.(stream, session, this);
    }
    return undefined;
  }

  delete(request, response) {
    const session = this.find(request, response);
    if (!session) return undefined;
    this.close(session);
    return this.reply(response, 204);
  }
}

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > BODY_LIMIT) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
