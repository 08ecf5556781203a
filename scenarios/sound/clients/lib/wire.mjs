// HTTP as the clients speak it: bodies in one piece or byte by byte, header fields in any case and order, and streams of events.
import http from 'node:http';

/** A message as JSON; the odd way has escapes, blanks and, over HTTP, line ends wherever JSON lets them be. */
export function written(task, message) {
  if (task.json !== 'odd') return JSON.stringify(message);
  const space = task.url ? '\r\n\t ' : ' \t';
  const text = (value) => {
    const plain = JSON.stringify(value);
    return plain.includes('\\') ? plain : plain.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
  };
  const write = (value) => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return `[${space}${value.map(write).join(`${space},`)}${space}]`;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    const members = Object.entries(value).filter(([, one]) => one !== undefined).reverse();
    return `{${space}${members.map(([name, one]) => `${text(name)}${space}:${space}${write(one)}`).join(`${space},`)}${space}}`;
  };
  return space + write(message) + (task.url ? space : '\r');
}

const kept = new http.Agent({ keepAlive: true, maxSockets: Infinity });

/** Header fields in the case and the order that the trait asks for: HTTP gives neither a meaning. */
function dressed(fields, how) {
  let pairs = Object.entries(fields);
  if (how === 'upper') pairs = pairs.map(([name, value]) => [name.toUpperCase(), value]);
  if (how === 'lower') pairs = pairs.map(([name, value]) => [name.toLowerCase(), value]);
  if (how === 'reversed') pairs.reverse();
  return Object.fromEntries(pairs);
}

/**
 * Sends a request and resolves with the response as soon as its header is there.
 * `slowly` holds the last byte of the body back for some milliseconds.
 */
export function ask(task, method, url, fields, body, { slowly = 0, signal } = {}) {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? null : Buffer.from(body);
    const headers = { ...fields };
    if (bytes && task.body !== 'bytes') headers['Content-Length'] = bytes.length;
    if (task.connections === 'new') headers['Connection'] = 'close';
    if (task.expect && bytes) headers['Expect'] = '100-continue';
    if (task.accept === 'odd' && headers.Accept) {
      headers.Accept = method === 'GET' ? 'Text/Event-Stream; q=0.7, text/plain;q=0' : 'Text/Event-Stream ; q=0.5 ,text/html;q=0.1, APPLICATION/json;q=1.0';
      if (bytes) headers['Content-Type'] = 'application/json;charset="utf-8"';
    }
    const request = http.request(url, {
      method, signal,
      ...(task.absolute && { path: String(url) }),
      agent: task.connections === 'new' ? false : kept,
      headers: dressed(headers, task.headers),
    });
    request.on('response', resolve);
    request.on('error', reject);
    if (bytes === null) return request.end();
    if (task.expect) {
      // The server says to continue, or a while passes: RFC 9110 wants nobody to wait for ever.
      const go = () => request.writableEnded || request.end(bytes);
      request.flushHeaders();
      request.on('continue', go);
      return void setTimeout(go, 600).unref();
    }
    if (task.body === 'bytes') return void trickle(request, bytes);
    if (!slowly) return request.end(bytes);
    request.write(bytes.subarray(0, -1));
    setTimeout(() => request.end(bytes.subarray(-1)), slowly);
  });
}

async function trickle(request, bytes) {
  request.setNoDelay(true);
  for (let at = 0; at < bytes.length; at++) {
    request.write(bytes.subarray(at, at + 1));  // each write is a chunk of its own
    await new Promise(setImmediate);
  }
  request.end();
}

export async function textOf(response) {
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response) text += part;
  return text;
}

/** The events of a stream, as the HTML standard has them: {event, data, id, retry}. */
export async function* eventsOf(response) {
  response.setEncoding('utf8');
  let rest = '';
  let event = { event: 'message', data: null };
  for await (const part of response) {
    rest += part;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        yield event;
        event = { event: 'message', data: null };
        continue;
      }
      const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
      if (field === 'data') event.data = event.data === null ? value ?? '' : `${event.data}\n${value ?? ''}`;
      if (field === 'event') event.event = value ?? '';
      if (field === 'id') event.id = value ?? '';
      if (field === 'retry' && /^[0-9]+$/.test(value ?? '')) event.retry = Number(value);
    }
  }
}
