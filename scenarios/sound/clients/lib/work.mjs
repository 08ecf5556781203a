// What a client does with a server: it lists all that there is, calls each tool, reads each resource, gets each prompt.
import { valueFor } from './values.mjs';
import { runAsTask } from './requestor.mjs';
import { sleep } from './traits.mjs';

const limit = 100;  // pages of a list, so that no server keeps us for ever

/** All items of a list. Where a session or a cursor is lost in the middle, the list is begun anew, twice at most. */
export async function list(task, client, method, key) {
  if (!task.doubleLists) return walk(task, client, method, key);
  return (await Promise.all([walk(task, client, method, key), walk(task, client, method, key)]))[0];
}

/** One page. With a cache each page is kept until it expires, and is then asked for by its cursor. */
async function page(task, client, method, cursor) {
  const key = JSON.stringify([method, cursor]);
  const kept = client.pages?.get(key);
  if (kept !== undefined && Date.now() < kept.until) return kept.result;
  const result = await client.request(method, cursor === undefined ? undefined : { cursor });
  if (task.cachesPages) (client.pages ??= new Map()).set(key, { result, until: Date.now() + (result.ttlMs ?? 0) });
  return result;
}

async function walk(task, client, method, key) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const items = [];
    let cursor;
    try {
      for (let pages = 0; pages < limit; pages++) {
        const result = await page(task, client, method, cursor);
        items.push(...(Array.isArray(result[key]) ? result[key] : []));
        client.freshUntil = Date.now() + (result.ttlMs ?? 0);
        cursor = result.nextCursor ?? undefined;
        if (cursor === undefined || task.firstPageOnly) break;
      }
      return items;
    } catch (error) {
      await client.restarting;
      if (attempt < task.retries) continue;
      if (!error.sessionLost && !(cursor !== undefined && error.code === -32602)) {
        console.error(`${method}: ${error.message}`);
        return items;
      }
    }
  }
  return [];
}

/** Runs the jobs one after the other, or all at once and the last of them a little later. */
async function each(task, items, job) {
  const quietly = (item) => job(item).catch((error) => console.error(error.message));
  if (!task.parallel) {
    for (const item of items) await quietly(item);
    return;
  }
  await Promise.all(items.map(async (item, index) => {
    if (index > 0 && index === items.length - 1) await sleep(100);
    await quietly(item);
  }));
}

function callsFor(task, tools) {
  const told = task.context.toolCalls;
  if (Array.isArray(told)) {
    return told.map((call) => ({ tool: tools.find((tool) => tool.name === call.name), arguments: call.arguments ?? {} })).filter((call) => call.tool);
  }
  return tools.map((tool) => {
    const values = task.scenario === 'tools_call' && tool.name === 'add_numbers' ? { a: 5, b: 3 } : valueFor(tool.inputSchema ?? {});
    const other = tools.find((one) => one.name === 'json_schema_2020_12_tool');
    if (task.echoSchema && tool.name === 'json_schema_echo' && other) values.schema = other.inputSchema;
    return { tool, arguments: values };
  });
}

export async function work(task, client) {
  const server = client.server;
  const has = (what) => task.work.includes(what);
  const late = task.getStream === 'late' ? sleep(200).then(() => client.transport.listen?.()) : null;
  if (has('lists')) {
    let tools = [], prompts = [], resources = [];
    const lists = [
      server.tools && (async () => { tools = await list(task, client, 'tools/list', 'tools'); }),
      server.prompts && (async () => { prompts = await list(task, client, 'prompts/list', 'prompts'); }),
      server.resources && (async () => { resources = await list(task, client, 'resources/list', 'resources'); }),
      server.resources && (async () => { await list(task, client, 'resources/templates/list', 'resourceTemplates'); }),
    ].filter(Boolean);
    if (task.methods) await useMore(client, task);
    await each(task, lists, (job) => job());
    tools = client.usable?.(tools) ?? tools;
    if (has('calls')) await each(task, callsFor(task, tools), (call) => callTool(task, client, call));
    if (has('reads')) await each(task, resources, (resource) => client.request('resources/read', { uri: resource.uri }));
    if (has('gets')) await each(task, prompts, (prompt) => getPrompt(client, prompt));
  }
  await late;
  await sleep(task.linger);
}

async function callTool(task, client, call) {
  if (task.getStream === 'often') await client.transport.listenAnew?.();
  if (task.relistens) await client.relisten?.();
  if (task.cachesPages || (task.relists && !(Date.now() < client.freshUntil))) await list(task, client, 'tools/list', 'tools');
  const params = { name: call.tool.name, arguments: call.arguments };
  if (task.params === 'lean' && !call.tool.inputSchema?.required?.length) delete params.arguments;
  const support = client.server.tasks?.requests?.tools?.call ? call.tool.execution?.taskSupport : undefined;
  if (support === 'required' || (support === 'optional' && task.tasks)) return runAsTask(task, client, params);
  for (let attempt = 0; ; attempt++) {
    try {
      return await client.request('tools/call', params, { tool: call.tool });
    } catch (error) {
      if (attempt >= task.retries) throw error;
    }
  }
}

/** What else servers have, as far as they declare it. */
async function useMore(client, task) {
  const { server } = client;
  const tries = [];
  if (task.revision !== '2026-07-28') {
    if (server.logging) tries.push(['logging/setLevel', { level: 'warning' }]);
    tries.push(['ping', undefined]);
  }
  if (server.completions || (server.prompts && task.revision === '2024-11-05')) {
    tries.push(['completion/complete', { ref: { type: 'ref/prompt', name: 'unknown' }, argument: { name: 'a', value: '' } }]);
  }
  if (server.resources) {
    tries.push(['resources/read', { uri: 'test://nowhere' }]);
    if (server.resources.subscribe && task.revision !== '2026-07-28') tries.push(['resources/subscribe', { uri: 'test://nowhere' }], ['resources/unsubscribe', { uri: 'test://nowhere' }]);
  }
  for (const [method, params] of tries) await client.request(method, params).catch(() => {});
}

function getPrompt(client, prompt) {
  const values = {};
  for (const argument of prompt.arguments ?? []) values[argument.name] = 'sound';
  return client.request('prompts/get', { name: prompt.name, arguments: values });
}
