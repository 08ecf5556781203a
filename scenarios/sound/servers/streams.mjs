// Servers over HTTP that use streams and sessions in unusual ways (Transports, Streamable HTTP).

import {randomBytes} from 'node:crypto';

import {serve, traitOf} from './lib.mjs';

const legacy = ['2025-03-26', '2025-06-18', '2025-11-25'];

// Every visible character of ASCII, and enough that cannot be guessed.
const visible = Array.from({length: 0x7e - 0x21 + 1}, (_, at) => String.fromCharCode(0x21 + at));
const oddId = () => visible.join('') + randomBytes(32).toString('base64url');

serve(traitOf({
  // "or else return HTTP 405": no stream of its own.
  'no-get': {revisions: legacy, http: {get: false}},
  // GET only to come back to a stream of a POST.
  'resume-only': {revisions: legacy, http: {answers: 'sse', get: 'resume'}},
  'no-delete': {revisions: legacy, http: {answers: 'mixed', delete: false}},
  'no-sessions': {
    revisions: legacy, capabilities: {tools: {}, prompts: {}},
    http: {sessions: false, get: false},
  },
  'odd-session-ids': {revisions: legacy, http: {sessionId: oddId, answers: 'mixed'}},
  'long-session-ids': {
    revisions: legacy, http: {sessionId: () => randomBytes(700).toString('hex')}},
  // The stream of GET is closed after a short while, each time; clients come back.
  'get-closes': {
    revisions: legacy,
    http: {
      answers: 'mixed',
      onGet: (stream) => void setTimeout(() => stream.pause(100), 250),
    },
  },
  // The same, but the stream itself ends: "The server MAY close the SSE stream at any time".
  'get-ends': {
    revisions: legacy,
    http: {answers: 'mixed', onGet: (stream) => void setTimeout(() => stream.end(), 250)},
  },
  // "the server MAY close the connection (without terminating the SSE stream) at any time", after
  // an event with an id; the response comes when the client is back.
  'polling': {
    revisions: ['2025-11-25'],
    http: {
      answers: 'sse',
      onPostStream: (stream) => void setTimeout(() => {
        if (!stream.done) stream.pause(50);
      }, 150),
    },
  },
  // 2025-11-25 and before, and 2026-07-28, at the same endpoint.
  'both-eras': {http: {answers: 'mixed'}},
  // Idle connections are kept for a tenth of a second only.
  'short-keep-alive': {http: {keepAliveTimeout: 100}},
}));
