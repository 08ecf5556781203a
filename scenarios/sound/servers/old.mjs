// Servers of 2024-11-05, for HTTP with SSE (Transports): started with --sse.

import {prompts} from './content.mjs';
import {serve, traitOf} from './lib.mjs';
import {sleep} from './protocol.mjs';

const revisions = ['2024-11-05'];

serve(traitOf({
  'relative': {revisions},
  // The endpoint is told with its whole URL.
  'absolute': {revisions, http: {absolute: true, accepted: 200}},
  // A POST is answered when its message was handled, after the response on the stream.
  'late': {revisions, http: {late: true, accepted: 204, comments: 50}, before: () => sleep(30)},
  'line-ends': {
    revisions, prompts, http: {sse: {newline: '\r\n', tight: true, comment: ' x'}, style: {space: '\n'}},
  },
  'pings': {
    revisions,
    onReady: (session) =>
        session.every(100, () => void session.ask('ping').catch(() => {})),
  },
}));
