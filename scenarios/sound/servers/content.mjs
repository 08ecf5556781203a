// What an ordinary server offers. A trait replaces what it needs to.

import {RpcError, sleep} from './protocol.mjs';

export const text = (words, more = {}) => ({content: [{type: 'text', text: words}], ...more});

export const readOnly = {readOnlyHint: true};

export const echo = {
  name: 'echo',
  title: 'Echo',
  description: 'Returns the text that it is given',
  inputSchema: {type: 'object', properties: {text: {type: 'string'}}, required: ['text']},
  annotations: readOnly,
  call: ({text: words}) => text(words),
};

export const add = {
  name: 'add',
  title: 'Add two numbers',
  description: 'Returns the sum of two numbers',
  inputSchema: {
    type: 'object',
    properties: {a: {type: 'number'}, b: {type: 'number'}},
    required: ['a', 'b'],
    additionalProperties: false,
  },
  outputSchema: {type: 'object', properties: {sum: {type: 'number'}}, required: ['sum']},
  annotations: readOnly,
  call({a, b}) {
    const sum = Number(a) + Number(b);
    const value = {sum: Number.isFinite(sum) ? sum : 0};
    return text(JSON.stringify(value), {structuredContent: value});
  },
};

// Takes a while, tells its progress where a token was given, and stops when it is cancelled.
export const wait = {
  name: 'wait',
  title: 'Wait',
  description: 'Waits for some tenths of a second (10 if nothing is said), and tells its progress',
  inputSchema: {
    type: 'object',
    properties: {tenths: {type: 'integer', minimum: 0, maximum: 20}},
    additionalProperties: false,
  },
  annotations: readOnly,
  async call({tenths = 10}, context) {
    for (let done = 0; done < Number(tenths); done++) {
      context.progress(done + 0.5, Number(tenths), `${done} tenths have passed`);
      await sleep(100);
      if (context.signal.aborted) return undefined;
    }
    return text(`Waited for ${tenths} tenths of a second`);
  },
};

export const fail = {
  name: 'fail',
  title: 'Fail',
  description: 'Always fails, with a tool execution error',
  inputSchema: {type: 'object', additionalProperties: false},
  annotations: readOnly,
  call: () => text('This tool fails always: try another one', {isError: true}),
};

export const report = {
  name: 'report',
  title: 'Report',
  description: 'Writes a log message of each level',
  inputSchema: {type: 'object'},
  annotations: readOnly,
  call(_, context) {
    for (const level of ['debug', 'info', 'warning', 'error']) {
      context.log(level, {what: `a message of level ${level}`});
    }
    return text('Wrote four messages');
  },
};

export const tools = [echo, add, wait, fail];

export const prompts = [
  {
    name: 'greet',
    title: 'Greet somebody',
    description: 'Asks for a greeting',
    arguments: [
      {name: 'person', description: 'Whom to greet', required: true},
      {name: 'tongue', description: 'In which language'},
    ],
    get: ({person, tongue = 'English'}) => ({
      description: 'A greeting',
      messages:
          [{role: 'user', content: {type: 'text', text: `Greet ${person} in ${tongue}.`}}],
    }),
  },
  {
    name: 'plain',
    description: 'A prompt without arguments',
    get: () => ({
      messages: [
        {role: 'user', content: {type: 'text', text: 'What is the time?'}},
        {role: 'assistant', content: {type: 'text', text: 'High time.'}},
      ],
    }),
  },
];

export const resources = [
  {
    uri: 'memo://notes/1',
    name: 'first note',
    title: 'The first note',
    mimeType: 'text/plain',
    read: () => [{uri: 'memo://notes/1', mimeType: 'text/plain', text: 'Remember the milk.'}],
  },
  {
    uri: 'memo://notes/2',
    name: 'second note',
    mimeType: 'application/octet-stream',
    read: () => [{
      uri: 'memo://notes/2',
      mimeType: 'application/octet-stream',
      blob: Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64'),
    }],
  },
];

export const templates = [{
  uriTemplate: 'memo://lines/{line}',
  name: 'a line',
  title: 'A line by its number',
  mimeType: 'text/plain',
  read(uri) {
    const found = /^memo:\/\/lines\/(\d{1,3})$/.exec(uri);
    return found ? [{uri, mimeType: 'text/plain', text: `This is line ${found[1]}.`}] : undefined;
  },
}];

const people = ['Ada', 'Alan', 'Barbara', 'Donald', 'Edsger', 'Grace'];

// Values for arguments of prompts and variables of templates, best first.
export function complete(ref, argument) {
  if (ref.type === 'ref/prompt') {
    if (ref.name !== 'greet') {
      if (prompts.some(({name}) => name === ref.name)) return [];
      throw new RpcError(-32602, `There is no prompt ${ref.name}`);
    }
    const known = {person: people, tongue: ['English', 'French']};
    if (!Object.hasOwn(known, argument.name)) {
      throw new RpcError(-32602, `greet has no argument ${argument.name}`);
    }
    const begun = argument.value.toLowerCase();
    return known[argument.name].filter((name) => name.toLowerCase().startsWith(begun));
  }
  if (templates.some(({uriTemplate}) => uriTemplate === ref.uri)) {
    if (argument.name !== 'line') {
      throw new RpcError(-32602, `The template has no variable ${argument.name}`);
    }
    return ['1', '2', '10'].filter((line) => line.startsWith(argument.value));
  }
  if (resources.some(({uri}) => uri === ref.uri)) return [];
  throw new RpcError(-32602, `There is no resource or template ${ref.uri}`);
}

// Removes what a revision does not have yet.
const SINCE = {
  title: '2025-06-18', outputSchema: '2025-06-18', structuredContent: '2025-06-18',
  annotations: '2025-03-26', icons: '2025-11-25', execution: '2025-11-25', _meta: '2025-06-18',
  websiteUrl: '2025-11-25',
};

export function shaped(item, revision) {
  const kept = Object.entries(item).filter(
      ([name, value]) => typeof value !== 'function' && !(SINCE[name] > revision));
  return Object.fromEntries(kept);
}
