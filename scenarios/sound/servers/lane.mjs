// The way back of one POST: a JSON object, or an SSE stream.

import {randomUUID} from 'node:crypto';

import {stringify} from './protocol.mjs';
import {eventText} from './sse.mjs';

export class PostLane {
  status = 200;    // What errors want to be sent with.
  headers = {};
  key = randomUUID();
  stream;          // In the handshake era, where clients can come back to it.
  events;          // The connection of the SSE stream, once it is open.

  // `streamed`: whether an SSE stream may be opened; `always`: whether it is for each answer;
  // `modern`: whether HTTP says that this is 2026-07-28, where who goes away cancels the request.
  constructor(server, response, {streamed, always, modern = false}) {
    Object.assign(this, {server, response, streamed, always, modern});
    if (!modern) return;
    const gone = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    this.signal = gone.signal;
  }

  subscriptionKey = () => this.key;

  // In 2025-11-25 a stream begins at once, so that the client can come back to it.
  attach(session) {
    this.session = session;
    if (this.always && session.revision >= '2025-11-25') this.open();
  }

  open() {
    if (this.events) return;
    this.events = this.server.openEvents(this.response, this.headers);
    if (!this.session?.id) return;
    this.stream = this.server.newStream(this.session);
    this.stream.attach(this.events);
    this.server.traits.onPostStream?.(this.stream, this.session);
  }

  write(message) {
    this.open();
    const data = stringify(message, this.server.peer.traits.http?.style);
    if (this.stream) this.stream.send(data);
    else this.events.write(eventText({data}, this.server.traits.sse));
  }

  send = (message) => {
    if (this.streamed && !this.signal?.aborted) this.write(message);
  };

  finish(answer, wanted) {
    if (this.signal?.aborted) return;
    if (!wanted) {
      this.server.reply(this.response, answer ? this.status : 202, answer);
    } else if (!this.events && answer && !(this.always && this.status === 200)) {
      this.server.reply(this.response, this.status, answer, this.headers);
    } else {
      // A request that was cancelled gets a stream that ends without a response.
      if (answer) this.write(answer);
      this.open();
      if (this.stream) this.stream.end();
      else this.events.end();
    }
  }
}
