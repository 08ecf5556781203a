// Servers that ask the client: with requests of their own in the handshake era, with results of the
// type input_required in 2026-07-28 (Multi Round-Trip Requests).

import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';

import {echo, readOnly, text, tools} from './content.mjs';
import {META, MODERN, RpcError} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const key = randomBytes(32);
const nothing = {type: 'object', additionalProperties: false};

// The state of a request that goes to the client and back: sealed, for this request, and not for long.
function sealed(context) {
  const state = Buffer.from(JSON.stringify(
      {method: context.method, name: context.params.name, until: Date.now() + 60000}));
  const seal = createHmac('sha256', key).update(state).digest();
  return `${state.toString('base64url')}.${seal.toString('base64url')}`;
}

function unsealed(context) {
  const [state, seal] = String(context.params.requestState).split('.')
      .map((part) => Buffer.from(part, 'base64url'));
  const right = createHmac('sha256', key).update(state ?? '').digest();
  const refused = new RpcError(-32602, 'This requestState is not valid');
  if (!seal || seal.length !== right.length || !timingSafeEqual(seal, right)) throw refused;
  const {method, name, until} = JSON.parse(state);
  if (method !== context.method || name !== context.params.name || until < Date.now()) throw refused;
}

// Asks with `method`, in the way of the era, and makes a text of the answer.
function asking(name, capability, method, params, tell) {
  return {
    name,
    description: `Asks the client: ${method}`,
    inputSchema: nothing,
    annotations: readOnly,
    async call(_, context) {
      if (context.revision === MODERN) {
        const {inputResponses, requestState} = context.params;
        if (requestState !== undefined) unsealed(context);
        if (!context.client[capability]) {
          throw new RpcError(-32021, `This needs ${capability}`,
                             {requiredCapabilities: {[capability]: {}}}, 400);
        }
        const found = requestState === undefined ? undefined : inputResponses?.[name];
        if (found !== undefined && (found === null || typeof found !== 'object')) {
          throw new RpcError(-32602, `${name} of inputResponses is no object`);
        }
        if (found) return text(tell(found));
        const request = params ? {method, params} : {method};
        return {
          resultType: 'input_required', inputRequests: {[name]: request},
          requestState: sealed(context),
        };
      }
      if (!context.client[capability]) {
        return text(`The client does not have ${capability}`, {isError: true});
      }
      try {
        return text(tell(await context.ask(method, params, 1500)));
      } catch (error) {
        return text(`The client gave no answer: ${error.message}`, {isError: true});
      }
    },
  };
}

const roots = asking('count_roots', 'roots', 'roots/list', undefined,
                     (result) => `There are ${result.roots?.length ?? 'no'} roots`);
const sample = asking('sample', 'sampling', 'sampling/createMessage', {
  messages: [{role: 'user', content: {type: 'text', text: 'Say a word.'}}], maxTokens: 20,
}, (result) => `The model ${result.model} answered`);
const elicit = asking('elicit', 'elicitation', 'elicitation/create', {
  message: 'What is your name?',
  requestedSchema: {type: 'object', properties: {name: {type: 'string'}}, required: ['name']},
}, ({action}) => {
  if (!['accept', 'decline', 'cancel'].includes(action)) throw new RpcError(-32602, 'What did the user choose?');
  return `The user chose to ${action}`;
});

const asked = {tools: [...tools, roots, sample], http: {answers: 'mixed'}};

serve(traitOf({
  'in-tools': asked,
  'elicits': {
    ...asked, tools: [echo, elicit], revisions: ['2025-06-18', '2025-11-25', MODERN],
  },
  // As soon as it may, the server wants to know the roots; it goes on without an answer.
  'at-once': {
    revisions: legacy,
    http: {answers: 'mixed'},
    onReady(session) {
      if (session.client.roots) session.ask('roots/list', undefined, {patience: 800}).catch(() => {});
    },
  },
  // It asks again and again, and is impatient: after 50 ms it cancels its question.
  'impatient': {
    revisions: legacy,
    http: {answers: 'mixed'},
    onReady(session) {
      session.every(250, () => {
        if (session.client.roots) session.ask('roots/list', {}, {patience: 50}).catch(() => {});
      });
    },
  },
  // Ids of the server are its own: they may be those of the client, and of any kind that is allowed.
  'odd-ids': {
    revisions: legacy,
    ids: [0, 1, 2, 3, -1, '', ' ', '1', '\u{1f194}', 9007199254740991, 'null', '2'.repeat(300)],
    http: {answers: 'mixed'},
    onReady(session) {
      session.every(60, () => void session.ask('ping').catch(() => {}));
    },
  },
  // A prompt that asks before it is given (2026-07-28), with nothing but a state.
  'state-only': {
    revisions: [MODERN],
    prompts: [{
      name: 'patience',
      description: 'Is ready at the second try',
      get(_, context) {
        if (context.params.requestState === undefined) {
          return {resultType: 'input_required', requestState: sealed(context)};
        }
        unsealed(context);
        return {messages: [{role: 'user', content: {type: 'text', text: 'Here I am.'}}]};
      },
    }],
    info: {name: 'sound', version: '1', description: `keeps nothing (${META})`},
  },
}));
