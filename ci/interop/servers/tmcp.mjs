// A server on tmcp, which shares no code with the official SDK: over stdio, or over HTTP at PORT.
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { complete, prompt, resource, tool } from "tmcp/utils";
import * as v from "valibot";

import { serve, wait } from "./http.mjs";

const server = new McpServer(
  { name: "interop-tmcp", version: "1.0.0" },
  {
    adapter: new ValibotJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      completions: {},
    },
    pagination: { tools: { size: 4 } },
  },
);

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
let extras = 0;
let changes = 0;

server.tool({ name: "add", description: "Adds", schema: v.object({ a: v.number(), b: v.number() }) },
  ({ a, b }) => tool.text(String(a + b)));
server.tool({ name: "weather", description: "Answers with structured content",
  schema: v.object({ city: v.string() }),
  outputSchema: v.object({ city: v.string(), degrees: v.number() }) },
  ({ city }) => tool.structured({ city, degrees: 7 }));
server.tool({ name: "hello", description: "Greets" }, () => tool.text("hello"));
server.tool({ name: "fail", description: "Fails" }, () => tool.error("it failed"));
server.tool({ name: "throw", description: "Throws" }, () => {
  throw new Error("it threw");
});
server.tool({ name: "slow", description: "Takes some time" }, async () => {
  for (let step = 1; step <= 6; ++step) {
    await wait(100);
    server.progress(step, 6);
  }
  return tool.text("done");
});
server.tool({ name: "log", description: "Logs at every level" }, () => {
  for (const level of levels) server.log(level, `of level ${level}`);
  return tool.text("logged");
});
server.tool({ name: "ask", description: "Asks the user", replayable: true }, async () =>
  tool.text(JSON.stringify(await server.elicitation("Your name?", v.object({ name: v.string() })))));
server.tool({ name: "sample", description: "Asks the model", replayable: true }, async () =>
  tool.text(JSON.stringify(await server.message({
    messages: [{ role: "user", content: { type: "text", text: "Say a word." } }],
    maxTokens: 10,
  }))));
server.tool({ name: "grow", description: "Adds a tool" }, () => {
  server.tool({ name: `extra_${++extras}`, description: "Was added" }, () => tool.text("extra"));
  return tool.text("grown");
});
server.tool({ name: "touch", description: "Changes the note" }, () => {
  ++changes;
  server.changed("resource", "note://one");
  return tool.text("touched");
});

server.resource({ name: "note", description: "A note", uri: "note://one", mimeType: "text/plain" },
  (uri) => resource.text(uri, `changed ${changes} times`, "text/plain"));
server.template({ name: "notes", description: "Notes", uri: "note://by-id/{id}",
  complete: { id: () => complete.values(["1", "2"]) } },
  (uri, { id }) => resource.text(uri, `note ${id}`, "text/plain"));
server.prompt({ name: "explain", description: "Explains", schema: v.object({ topic: v.string() }),
  complete: { topic: () => complete.values(["cats", "dogs"]) } },
  ({ topic }) => prompt.message(`Explain ${topic}`));

if (process.env.PORT) {
  const transport = new HttpTransport(server, { path: "/mcp", allowedOrigins: [] });
  serve((request) => transport.respond(request), Number(process.env.PORT));
} else {
  new StdioTransport(server).listen();
}
