// The HTTP+SSE transport of 2024-11-05: a GET opens the stream of the server, and the first event
// on it names the endpoint for POST. The first line on standard output has this stream's URL.

import {randomUUID} from 'node:crypto';
import {createServer} from 'node:http';

import {batch} from './stdio.mjs';
import {Session} from './peer.mjs';
import {keyOf, parse, RpcError, stringify} from './protocol.mjs';
import {eventText} from './sse.mjs';

// Traits: `sse` is the style of events (see eventText), `accepted` the status of a POST, `absolute`
// tells the whole URL of the endpoint, `comments` is the period of comments, `late` delays answers to
// POST until the message was handled.
export function startOldSse(peer) {
  const traits = {accepted: 202, ...peer.traits.http};
  const sessions = new Map();
  const server = createServer();
  const address = () => `http://127.0.0.1:${server.address().port}`;

  function open(response) {
    const id = randomUUID();
    const write = (event) => response.write(event);
    const session = new Session((message) =>
        write(eventText({data: stringify(message, traits.style)}, {event: 'message', ...traits.sse})));
    sessions.set(id, session);
    response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache'});
    const endpoint = `${traits.absolute ? address() : ''}/messages?session=${id}`;
    write(eventText({data: endpoint}, {...traits.sse, event: 'endpoint'}));
    const timer = traits.comments && setInterval(() => write(': here\n\n'), traits.comments);
    response.on('close', () => {
      clearInterval(timer);
      session.end();
      sessions.delete(id);
    });
  }

  async function post(request, response, session) {
    const parts = [];
    for await (const part of request) parts.push(part);
    let message;
    try {
      message = parse(new TextDecoder('utf-8', {fatal: true}).decode(Buffer.concat(parts)));
    } catch {
      response.writeHead(400).end('No JSON');
      return;
    }
    if (!traits.late) response.writeHead(traits.accepted).end('Accepted');
    const lane = {send: session.push, subscriptionKey: keyOf};
    const answer = Array.isArray(message) ? await batch(peer, message, session, lane) :
                                            await peer.handle(message, session, lane);
    if (answer) session.push(answer);
    if (traits.late) response.writeHead(traits.accepted).end();
  }

  server.on('request', async (request, response) => {
    const {pathname, searchParams} = new URL(request.url, 'http://127.0.0.1');
    const {origin} = request.headers;
    if (origin !== undefined && origin !== address()) return response.writeHead(403).end();
    if (pathname === '/sse' && request.method === 'GET') return open(response);
    if (pathname !== '/messages') return response.writeHead(404).end();
    if (request.method !== 'POST') return response.writeHead(405, {Allow: 'POST'}).end();
    const session = sessions.get(searchParams.get('session'));
    if (!session) return response.writeHead(404).end();
    try {
      return await post(request, response, session);
    } catch (error) {
      process.stderr.write(`${(error instanceof RpcError ? error.message : error.stack)}\n`);
      return response.destroy();
    }
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${address()}/sse\n`));
}
