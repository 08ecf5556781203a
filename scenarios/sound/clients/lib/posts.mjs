// Streamable HTTP of 2026-07-28: each request is a POST of its own, whose response is its answer or a stream that ends with it.
import { ask, written, textOf, eventsOf } from './wire.mjs';
import { encoded, headersFor } from './parameters.mjs';

export class Posts {
  constructor(task, onMessage) {
    Object.assign(this, { task, onMessage, open_: new Map() });
  }

  open() {}

  fields(message, tool) {
    const { method, params } = message;
    const fields = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? '2026-07-28',
      'Mcp-Method': method,
    };
    const name = params?.taskId ?? (method === 'resources/read' ? params.uri : ['tools/call', 'prompts/get'].includes(method) ? params.name : undefined);
    if (name !== undefined) fields['Mcp-Name'] = encoded(name);
    if (method === 'tools/call' && tool) Object.assign(fields, headersFor(tool, params.arguments ?? {}));
    return fields;
  }

  /** Resolves with an error where no answer came, so that the request can be sent again under another id. */
  async send(message, tool) {
    const stopped = new AbortController();
    this.open_.set(message.id, stopped);
    try {
      const response = await ask(this.task, 'POST', this.task.url, this.fields(message, tool), written(this.task, message), { signal: stopped.signal });
      const stream = /^text\/event-stream/i.test(response.headers['content-type'] ?? '') && response.statusCode === 200;
      if (stream) {
        for await (const event of eventsOf(response)) if (event.data) this.deliver(event.data, response.statusCode);
        return Object.assign(new Error('the stream ended'), { lost: true });
      }
      if (this.deliver(await textOf(response), response.statusCode)) return null;
      return Object.assign(new Error(`HTTP status ${response.statusCode}`), { status: response.statusCode });
    } catch (error) {
      return stopped.signal.aborted ? null : Object.assign(error, { lost: true });
    } finally {
      this.open_.delete(message.id);
    }
  }

  /** A request of the older era, whose answer does not matter. */
  async sendOlder(message) {
    const fields = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    await ask(this.task, 'POST', this.task.url, fields, JSON.stringify(message)).then(textOf).catch(() => {});
  }

  deliver(text, status) {
    try {
      this.onMessage({ ...JSON.parse(text), status });
      return true;
    } catch {
      return false;
    }
  }

  /** Closes the response stream of a request, which cancels it. */
  drop(id) {
    this.open_.get(id)?.abort();
  }

  async close() {
    for (const stopped of this.open_.values()) stopped.abort();
  }
}
