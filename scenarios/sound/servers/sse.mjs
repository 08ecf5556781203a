// Server-sent events, in every way that the standard of WHATWG allows.

// Writes one event. `style` makes it unusual: `newline` ends lines, `tight` leaves out the space
// after colons, `event` names the type, `lines` spreads the data over several lines, and `comment`
// comes first.
export function eventText({id, data, retry}, style = {}) {
  const {newline = '\n', tight = false, event, comment, odd = false} = style;
  const colon = tight ? ':' : ': ';
  const lines = [];
  if (comment !== undefined) lines.push(`:${comment}`);
  if (event && data) lines.push(`event${colon}${event}`);
  if (id !== undefined) lines.push(`id${colon}${id}`);
  if (odd) lines.push('data-of-ours: {"jsonrpc":"2.0"}', ': amid', 'nothing', 'DATA: no');
  retry ??= style.retry;
  if (retry !== undefined) lines.push(`retry${colon}${retry}`);
  if (data !== undefined) {
    for (const line of data.split('\n')) lines.push(`data${colon}${line}`);
  }
  return lines.join(newline) + newline + newline;
}

// A stream of a session of the handshake era. Events are kept, so that a client that lost the
// connection gets what it missed, by its Last-Event-ID.
export class Stream {
  events = [];
  connection = null;
  done = false;

  constructor(name, style = {}) {
    this.name = name;
    this.style = style;
  }

  // `connection` has `write` and `end`.
  attach(connection, after = 0) {
    this.connection = connection;
    connection.onClose(() => {
      if (this.connection === connection) this.connection = null;
    });
    for (const event of this.events.slice(after)) connection.write(event);
    if (this.done) connection.end();
  }

  // From 2025-11-25 on, a stream begins with an id and no data, which primes the client to come back.
  prime() {
    this.add('');
  }

  send(data) {
    if (!this.done) this.add(data);
  }

  add(data) {
    const id = this.style.ids === false ? undefined : `${this.name}-${this.events.length + 1}`;
    const text = eventText({id, data}, this.style);
    this.events.push(text);
    this.connection?.write(text);
  }

  // Closes the connection but not the stream: the client comes back for the rest.
  pause(retry) {
    if (!this.connection) return;
    this.connection.write(eventText({retry}, this.style));
    this.connection.end();
    this.connection = null;
  }

  end() {
    this.done = true;
    this.connection?.end();
    this.connection = null;
  }
}
