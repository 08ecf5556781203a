// The methods of an ordinary server. Each takes the parameters and the context of a request.

import {complete, shaped} from './content.mjs';
import {complaint, isObject, LEVELS, META, MODERN, RpcError} from './protocol.mjs';

const invalid = (message, data) => new RpcError(-32602, message, data);

function named(params, member) {
  if (typeof params[member] !== 'string') throw invalid(`${member} has to be a string`);
  return params[member];
}

// One page of a list. Cursors are opaque to clients; here they are the place in the list, sealed
// by the name of the list, and padded to any length that a trait wants.
function page(context, member, items) {
  const {pageSize = items.length, cursorPadding = 0, emptyLastPage = false} = context.peer.traits;
  const seal = (at) => Buffer.from(`${member} ${at} ${'.'.repeat(cursorPadding)}`).toString('base64');
  const limit = emptyLastPage && items.length ? items.length + 1 : items.length;
  let start = 0;
  const {cursor} = context.params;
  if (cursor !== undefined) {
    start = typeof cursor === 'string' ?
        Number(Buffer.from(cursor, 'base64').toString().split(' ')[1]) : NaN;
    if (!(start > 0 && start < limit) || cursor !== seal(start)) throw invalid('Invalid cursor');
  }
  const end = start + Math.max(1, pageSize);
  const result = {[member]: items.slice(start, end).map((item) => shaped(item, context.revision))};
  if (end < limit) result.nextCursor = seal(end);
  return result;
}

function mindTaskSupport(tool, context) {
  const isRequired = tool.execution?.taskSupport === 'required' && context.capable('tasks');
  if (isRequired && !isObject(context.params.task)) {
    throw new RpcError(-32601, 'This tool runs as a task only');
  }
}

export async function callTool(context) {
  const {peer, params} = context;
  const name = named(params, 'name');
  const tool = peer.traits.tools.find((candidate) => candidate.name === name);
  if (!tool) throw invalid(`Unknown tool: ${name}`);
  const given = params.arguments === undefined ? {} : params.arguments;
  if (!isObject(given)) throw invalid('arguments has to be an object');
  if (!peer.traits.validatesFirst) mindTaskSupport(tool, context);
  const problem = complaint(tool.inputSchema, given);
  if (problem) {
    // From 2025-11-25 on such errors are for the model, which can then mend its arguments.
    if (context.revision < '2025-11-25') throw invalid(problem);
    return {content: [{type: 'text', text: problem}], isError: true};
  }
  mindTaskSupport(tool, context);
  return shaped(await tool.call(given, context), context.revision);
}

async function getPrompt(context) {
  const {peer, params} = context;
  const name = named(params, 'name');
  const prompt = peer.traits.prompts.find((candidate) => candidate.name === name);
  if (!prompt) throw invalid(`There is no prompt ${name}`);
  const given = params.arguments === undefined ? {} : params.arguments;
  if (!isObject(given) || Object.values(given).some((value) => typeof value !== 'string')) {
    throw invalid('arguments has to be an object of strings');
  }
  for (const argument of prompt.arguments ?? []) {
    if (argument.required && given[argument.name] === undefined) {
      throw invalid(`The argument ${argument.name} is missing`);
    }
  }
  return prompt.get(given, context);
}

async function readResource(context) {
  const {peer, params} = context;
  const uri = named(params, 'uri');
  let read = peer.traits.resources.find((resource) => resource.uri === uri)?.read;
  let contents = read && await read(uri, context);
  for (const template of peer.traits.templates) contents ??= template.read(uri);
  if (!contents) {
    const code = context.revision === MODERN ? -32602 : -32002;
    throw new RpcError(code, 'Resource not found', {uri});
  }
  return {contents};
}

function completeArgument(context) {
  const {ref, argument} = context.params;
  if (!isObject(ref) || !['ref/prompt', 'ref/resource'].includes(ref.type)) {
    throw invalid('ref has to name a prompt or a resource');
  }
  named(ref, ref.type === 'ref/prompt' ? 'name' : 'uri');
  if (!isObject(argument)) throw invalid('argument has to be an object');
  named(argument, 'name');
  named(argument, 'value');
  const values = complete(ref, argument).slice(0, 100);
  return {completion: {values, total: values.length, hasMore: false}};
}

function setLevel(context) {
  if (!LEVELS.includes(context.params.level)) throw invalid('There is no such level');
  context.session.level = context.params.level;
  return {};
}

function subscribe(context, on) {
  const uri = named(context.params, 'uri');
  const {resources, templates} = context.peer.traits;
  if (!resources.some((resource) => resource.uri === uri) &&
      !templates.some((template) => template.read(uri))) {
    throw new RpcError(-32002, 'Resource not found', {uri});
  }
  context.session.watched[on ? 'add' : 'delete'](uri);
  return {};
}

// Which methods a server has follows from its capabilities.
export function methodsFor(revision, capabilities) {
  const legacy = revision !== MODERN;
  const methods = {};
  if (legacy) methods.ping = () => ({});
  if (capabilities.tools) {
    methods['tools/list'] = (context) => page(context, 'tools', context.peer.traits.tools);
    methods['tools/call'] = callTool;
  }
  if (capabilities.prompts) {
    methods['prompts/list'] = (context) => page(context, 'prompts', context.peer.traits.prompts);
    methods['prompts/get'] = getPrompt;
  }
  if (capabilities.resources) {
    methods['resources/list'] =
        (context) => page(context, 'resources', context.peer.traits.resources);
    methods['resources/templates/list'] =
        (context) => page(context, 'resourceTemplates', context.peer.traits.templates);
    methods['resources/read'] = readResource;
    if (legacy && capabilities.resources.subscribe) {
      methods['resources/subscribe'] = (context) => subscribe(context, true);
      methods['resources/unsubscribe'] = (context) => subscribe(context, false);
    }
  }
  // 2024-11-05 has completion, but no capability for it.
  if (capabilities.completions) methods['completion/complete'] = completeArgument;
  if (legacy && capabilities.logging) methods['logging/setLevel'] = setLevel;
  return methods;
}

// Results that clients may keep for a while say for how long (2026-07-28).
const CACHEABLE = new Set([
  'server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list',
  'resources/read',
]);

export function modernResult(peer, method, result) {
  const {_meta, resultType = 'complete', ...rest} = result;
  const whole = {resultType, ...rest};
  if (resultType === 'complete' && CACHEABLE.has(method)) {
    Object.assign(whole, {ttlMs: 1000, cacheScope: 'public', ...peer.traits.caching});
  }
  whole._meta = {..._meta, [`${META}serverInfo`]: peer.traits.info};
  return whole;
}
