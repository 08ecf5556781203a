// A client on ext-tasks over stdio, which follows the tasks of 2026-07-28; the package has no wire, so that is here. The
// words of the server's command come last.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { createApplicationInputHandler, withTasks } from "@modelcontextprotocol/ext-tasks/client";
import { TASKS_EXTENSION_ID_V2 } from "@modelcontextprotocol/ext-tasks/core/v2";

const [command, ...words] = process.argv.slice(2);
const server = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "interop-ext-tasks", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { [TASKS_EXTENSION_ID_V2]: {} },
  },
};
const waiting = new Map();
const listeners = new Set();
createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  if ("method" in message) listeners.forEach((listener) => listener(message));
  else waiting.get(message.id)?.(message);
});

let last = 0;
const ask = (method, params = {}) => new Promise((resolve) => {
  const id = ++last;
  waiting.set(id, resolve);
  const whole = { ...params, _meta: { ...params._meta, ...meta } };
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: whole })}\n`);
});

const found = await ask("server/discover");
const settings = found.result?.capabilities?.extensions?.[TASKS_EXTENSION_ID_V2];
const session = withTasks({
  endpointId: "interop",
  invalidated: false,
  taskCapabilities: settings ? { generation: "v2", capabilities: settings } : { generation: "none" },
  async dispatch({ method, params }) {
    const { error, result } = await ask(method, params);
    return error ? { kind: "error", error } : { kind: "result", result };
  },
  onServerRequest: () => () => {},
  onNotification(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  onInvalidated: () => () => {},
}, {
  onInputRequest: createApplicationInputHandler({
    elicitation: async () => ({ action: "accept", content: { name: "Ada" } }),
    sampling: async () => ({ model: "none", role: "assistant", content: { type: "text", text: "A word." } }),
    roots: async () => ({ roots: [] }),
  }).handle,
});

for (let cursor; ;) {
  const { result } = await ask("tools/list", cursor === undefined ? {} : { cursor });
  for (const tool of result?.tools ?? []) {
    try {
      const execution = await session.callTool(tool.name, {});
      await execution.settle();
    } catch (error) {
      console.error(`${tool.name}: ${error.message}`);
    }
  }
  cursor = result?.nextCursor;
  if (cursor === undefined) break;
}
await session.close();
server.stdin.end();
