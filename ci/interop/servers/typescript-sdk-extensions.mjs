// A server on the TypeScript SDK 2.x with extensions: over stdio, or over HTTP at PORT. Skills are the SDK's, user
// interfaces those of ext-apps; tasks are kept here, in the types of ext-tasks, which has no server of its own.
import { RESOURCE_MIME_TYPE, registerAppResource, registerAppTool } from "@modelcontextprotocol/ext-apps/server";
import {
  CancelTaskResultV2Schema,
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  TASKS_EXTENSION_ID_V2,
  UpdateTaskResultV2Schema,
  hasTaskClientCapabilityV2,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import {
  McpServer,
  ProtocolError,
  createMcpHandler,
  inputRequired,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  hostHeaderValidationResponse,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { SkillsExtension, memorySkillFiles } from "@modelcontextprotocol/server/ext/skills";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

import { serve, wait } from "./http.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const tasks = new Map();
const answers = new Map(); // what waits for input, by task
const invalidParams = -32602;
const missingCapability = -32021;

const skills = await SkillsExtension.load(memorySkillFiles({
  "refunds/SKILL.md": "---\nname: refunds\ndescription: Process a refund\n---\n\nSee [the mail](examples/mail.md).\n",
  "refunds/examples/mail.md": "Dear customer, your money is on its way: 10 €.\n",
}));

const isOver = (task) => ["completed", "failed", "cancelled"].includes(task.status);
const change = (task, changes) => Object.assign(task, changes, { lastUpdatedAt: new Date().toISOString() });

// A task that does the work, and may ask its client while it does.
function create(work) {
  const now = new Date().toISOString();
  const task = { taskId: crypto.randomUUID(), status: "working", ttlMs: 60_000, pollIntervalMs: 50,
    createdAt: now, lastUpdatedAt: now };
  tasks.set(task.taskId, task);
  const ask = (inputRequests) => new Promise((resolve) => {
    answers.set(task.taskId, resolve);
    change(task, { status: "input_required", inputRequests });
  });
  const end = (changes) => isOver(task) || change(task, changes);
  work(ask).then((result) => end({ status: "completed", result }),
    ({ message }) => end({ status: "failed", statusMessage: message, error: { code: -32603, message } }));
  return CreateTaskResultV2Schema.parse({ ...task, resultType: "task" });
}

function update(task, responses) {
  const asked = Object.keys(task.inputRequests ?? {});
  if (task.status !== "input_required" || !asked.every((key) => key in responses)) return;
  delete task.inputRequests;
  change(task, { status: "working" });
  answers.get(task.taskId)(responses);
}

function find({ taskId }, context) {
  if (!hasTaskClientCapabilityV2({ _meta: context.mcpReq.envelope })) {
    throw new ProtocolError(missingCapability, "The extension is not declared",
      { requiredCapabilities: { extensions: { [TASKS_EXTENSION_ID_V2]: {} } } });
  }
  const task = tasks.get(taskId);
  if (!task) throw new ProtocolError(invalidParams, "There is no such task");
  return task;
}

// Each connection, and over HTTP each request, has a server of its own.
function server() {
  const made = new McpServer({ name: "interop-extensions", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, extensions: { [TASKS_EXTENSION_ID_V2]: {} } } });
  skills.attach(made);
  const durable = (name, work) => made.registerTool(name, { description: "Takes its time" }, async (context) =>
    hasTaskClientCapabilityV2({ _meta: context.mcpReq.envelope }) ? create(work) : work(async () => ({})));
  durable("slow", async () => {
    await wait(300);
    return text("done");
  });
  durable("confirm", async (ask) => {
    const { user } = await ask({
      user: inputRequired.elicit({ message: "Your name?", requestedSchema: z.object({ name: z.string() }) }),
    });
    return text(`Hello, ${user?.content?.name ?? "stranger"}`);
  });
  durable("broken", async () => {
    await wait(100);
    throw new Error("it broke");
  });
  const uri = "ui://interop/weather";
  registerAppTool(made, "weather", { description: "Shows the weather", _meta: { ui: { resourceUri: uri } } },
    async () => text("21.5 degrees"));
  registerAppResource(made, "weather", uri, {}, async () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: "<!DOCTYPE html><title>Weather</title>" }],
  }));
  const taskId = z.object({ taskId: z.string() });
  made.server.setRequestHandler("tasks/get", { params: taskId }, async (params, context) =>
    GetTaskResultV2Schema.parse({ ...find(params, context), resultType: "complete" }));
  made.server.setRequestHandler("tasks/update", { params: taskId }, async (params, context) => {
    update(find(params, context), context.mcpReq.inputResponses ?? {}); // which the SDK takes out of the params
    return UpdateTaskResultV2Schema.parse({ resultType: "complete" });
  });
  made.server.setRequestHandler("tasks/cancel", { params: taskId }, async (params, context) => {
    const task = find(params, context);
    if (!isOver(task)) change(task, { status: "cancelled", inputRequests: undefined });
    return CancelTaskResultV2Schema.parse({ resultType: "complete" });
  });
  return made;
}

if (process.env.PORT) {
  const handler = createMcpHandler(server);
  serve((request) => hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ?? handler.fetch(request),
  Number(process.env.PORT));
} else {
  serveStdio(server);
}
