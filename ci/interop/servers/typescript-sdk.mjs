// A server on the official TypeScript SDK 2.x, of both eras: over stdio, or over HTTP at PORT.
import {
  ResourceTemplate,
  McpServer,
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  hostHeaderValidationResponse,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

import { serve, wait } from "./http.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });
const user = z.object({ name: z.string() });
let handler;
let extras = 0;

// Each connection, and over HTTP each request, has a server of its own.
function server() {
  const made = new McpServer(
    { name: "interop-typescript-sdk", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: states.verify },
    },
  );
  made.registerTool("add",
    { description: "Adds", inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }) },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }));
  made.registerTool("hello", { description: "Greets" }, async () => text("hello"));
  made.registerTool("fail", { description: "Fails" }, async () => ({ ...text("it failed"), isError: true }));
  made.registerTool("throw", { description: "Throws" }, async () => {
    throw new Error("it threw");
  });
  made.registerTool("slow", { description: "Takes some time" }, async (context) => {
    const { _meta: meta, notify, signal } = context.mcpReq;
    for (let progress = 1; progress <= 6 && !signal.aborted; ++progress) {
      await wait(100);
      if (meta?.progressToken === undefined) continue;
      await notify({ method: "notifications/progress",
        params: { progressToken: meta.progressToken, progress, total: 6 } });
    }
    return text("done");
  });
  made.registerTool("log", { description: "Logs" }, async (context) => {
    await context.mcpReq.log("info", "a message", "interop");
    return text("logged");
  });
  made.registerTool("ask", { description: "Asks the user" }, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "user", user);
    if (answer) return text(`Hello, ${answer.name}`);
    const response = context.mcpReq.inputResponses?.user;
    if (response?.action && response.action !== "accept") return text("Nobody, then");
    return inputRequired({
      inputRequests: { user: inputRequired.elicit({ message: "Your name?", requestedSchema: user }) },
      requestState: await states.mint({ asked: "user" }, context),
    });
  });
  made.registerTool("sample", { description: "Asks the model" }, async (context) => {
    const response = context.mcpReq.inputResponses?.word;
    if (response) return text(JSON.stringify(response.content));
    return inputRequired({
      inputRequests: {
        word: inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "Say a word." } }],
          maxTokens: 10,
        }),
      },
    });
  });
  made.registerTool("roots", { description: "Asks for the roots" }, async (context) => {
    const response = context.mcpReq.inputResponses?.roots;
    if (response) return text(JSON.stringify(response.roots));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  made.registerTool("grow", { description: "Announces another tool" }, async () => {
    ++extras;
    if (handler) handler.notify.toolsChanged();
    else made.sendToolListChanged();
    return text("grown");
  });
  for (let i = 1; i <= extras; ++i) {
    made.registerTool(`extra_${i}`, { description: "Was added" }, async () => text("extra"));
  }
  made.registerTool("touch", { description: "Changes the note" }, async () => {
    if (handler) handler.notify.resourceUpdated("note://one");
    else await made.server.sendResourceUpdated({ uri: "note://one" });
    return text("touched");
  });
  made.registerResource("note", "note://one", { mimeType: "text/plain" }, async (uri) =>
    ({ contents: [{ uri: uri.href, text: "a note", mimeType: "text/plain" }] }));
  made.registerResource("notes",
    new ResourceTemplate("note://by-id/{id}", { list: undefined, complete: { id: () => ["1", "2"] } }),
    {}, async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `note ${id}` }] }));
  made.registerPrompt("explain",
    { description: "Explains", argsSchema: z.object({ topic: z.string() }) },
    ({ topic }) => ({ messages: [{ role: "user", content: { type: "text", text: `Explain ${topic}` } }] }));
  return made;
}

if (process.env.PORT) {
  handler = createMcpHandler(server);
  serve((request) => hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ?? handler.fetch(request),
  Number(process.env.PORT));
} else {
  serveStdio(server);
}
