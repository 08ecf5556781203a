// A handler of fetch's Request and Response, behind Node's HTTP server on the loopback.
import { createServer } from "node:http";
import { Readable } from "node:stream";

export function serve(handler, port) {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const hasBody = !["GET", "HEAD"].includes(incoming.method);
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: Object.entries(incoming.headers).flatMap(([name, values]) =>
        [values].flat().map((value) => [name, value])),
      body: hasBody ? Readable.toWeb(incoming) : undefined,
      duplex: hasBody ? "half" : undefined,
      signal: gone.signal,
    });
    const response = (await handler(request)) ?? new Response(null, { status: 404 });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (!response.body) return outgoing.end();
    Readable.fromWeb(response.body).on("error", () => outgoing.destroy()).pipe(outgoing);
  });
  server.listen(port, "127.0.0.1");
}

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
