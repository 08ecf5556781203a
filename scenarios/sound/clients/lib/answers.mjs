// How the client answers what servers ask: roots, samples, forms. Each function returns {result} or {error}.
import { valueFor, editedFor, fits } from './values.mjs';
import { sleep } from './traits.mjs';

const failure = (code, message) => ({ error: { code, message } });
let asked = 0;

export async function answer(task, method, params = {}) {
  const { capabilities } = task;
  if (method === 'ping') return { result: task.pingMeta ? { _meta: { 'com.example/beat': ++asked } } : {} };
  if (method === 'roots/list' && capabilities.roots) return { result: roots(task) };
  if (method === 'sampling/createMessage' && capabilities.sampling) {
    if (!await takeTurn(task)) return failure(-32000, 'Too many questions');
    await sleep(task.answerDelay);
    return sample(task, params);
  }
  if (method === 'elicitation/create' && capabilities.elicitation) {
    if (!await takeTurn(task)) return failure(-32000, 'Too many questions');
    await sleep(task.answerDelay);
    return fillIn(task, params);
  }
  return failure(-32601, `Method not found: ${method}`);
}

// Users and models are not to be flooded: after so many questions at once the others wait for their turn, or are refused.
let turns = Infinity;
let lastTurn = Date.now();
async function takeTurn(task) {
  for (;;) {
    turns = Math.min(task.limit, turns + (Date.now() - lastTurn) / 50);
    lastTurn = Date.now();
    if (turns >= 1) {
      turns--;
      return true;
    }
    if (task.refuseSurplus) return false;
    await sleep(50);
  }
}

function roots(task) {
  if (task.roots) return { roots: task.roots };
  const list = [{ uri: 'file:///home/ada/engine', name: 'Engine' }, { uri: 'file:///home/ada/notes' }];
  if (task.changeRoots) return { roots: list.slice(task.rootsChanged ? 1 : 0) };
  if (!task.shuffleRoots) return { roots: list };
  // The same roots in another order, with metadata of their own, are the same roots.
  asked++;
  const shuffled = asked % 2 ? [...list].reverse() : list;
  return { roots: shuffled.map((root) => ({ ...root, _meta: { 'com.example/asked': asked } })), _meta: { 'com.example/asked': asked } };
}

const blocksOf = (message) => (Array.isArray(message?.content) ? message.content : [message?.content]);

/** What is wrong with the messages of a request for a sample, or null. */
function faultOf(messages) {
  if (!Array.isArray(messages)) return 'messages is no array';
  let open = new Set();
  for (const message of messages) {
    if (message?.role !== 'user' && message?.role !== 'assistant') return 'a message has no role';
    const blocks = blocksOf(message);
    for (const block of blocks) {
      const texts = { text: ['text'], image: ['data', 'mimeType'], audio: ['data', 'mimeType'], tool_use: ['id', 'name'], tool_result: ['toolUseId'] }[block?.type];
      if (!texts || texts.some((name) => typeof block[name] !== 'string')) return 'a message has content of no known type';
    }
    const results = blocks.filter((block) => block.type === 'tool_result');
    if (results.length && results.length < blocks.length) return 'Tool results mixed with other content';
    for (const result of results) if (!open.delete(result.toolUseId)) return 'Tool result without a use';
    if (open.size) return 'Tool result missing in request';
    open = new Set(blocks.filter((block) => block.type === 'tool_use').map((block) => block.id));
  }
  return open.size ? 'Tool result missing in request' : null;
}

function sample(task, params) {
  if (task.refuseAll) return failure(-1, 'User rejected sampling request');
  if ((params.tools || params.toolChoice) && !task.capabilities.sampling.tools) return failure(task.errorCode, 'sampling.tools is not declared');
  const fault = faultOf(params.messages);
  if (fault) return failure(-32602, fault);
  const told = { role: 'assistant', model: 'sound-1' };
  if (task.cutSamples) return { result: { ...told, content: { type: 'text', text: 'The answer is' }, stopReason: 'maxTokens' } };
  const mode = params.toolChoice?.mode ?? 'auto';
  if (task.samples === 'tools' && mode !== 'none' && params.tools?.length) {
    const uses = params.tools.map((one) => ({ type: 'tool_use', id: `use_${++asked}`, name: one.name, input: valueFor(one.inputSchema) }));
    return { result: { ...told, content: [{ type: 'text', text: 'Let me see.' }, ...uses, { ...uses[0], id: `use_${++asked}` }], stopReason: 'toolUse' } };
  }
  const tool = mode === 'required' ? params.tools?.[0] : undefined;
  if (tool) {
    const use = { type: 'tool_use', id: `use_${++asked}`, name: tool.name, input: valueFor(tool.inputSchema) };
    return { result: { ...told, content: [use], stopReason: 'toolUse' } };
  }
  if (task.samples === 'rich') {
    const blocks = [{ type: 'text', text: 'Yes, ' }, { type: 'text', text: 'and no.' }];
    const several = task.revision >= '2025-11-25';
    return { result: { ...told, content: several ? blocks : blocks[0], stopReason: 'com.example/tired', _meta: { 'com.example/cost': 0 } } };
  }
  return { result: { ...told, content: { type: 'text', text: 'Yes.' }, stopReason: 'endTurn' } };
}

function fillIn(task, params) {
  const modes = task.capabilities.elicitation;
  if (params.mode === 'url') {
    if (!modes.url) return failure(-32602, 'url mode is not declared');
    return { result: { action: task.elicitAction } };  // the user opens the URL, or not; the client never does
  }
  if (modes.url && !modes.form) return failure(-32602, 'form mode is not declared');
  if (task.elicitAction !== 'accept') return { result: { action: task.elicitAction } };
  const schema = { type: 'object', ...params.requestedSchema };
  const content = valueFor(schema);
  if (task.edits) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(name)) content[name] = editedFor(field);
      else delete content[name];
    }
  }
  return { result: fits(schema, content) ? { action: 'accept', content } : { action: 'decline' } };
}
