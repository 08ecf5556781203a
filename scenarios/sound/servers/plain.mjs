// An ordinary server: what the others differ from.

import {serve, traitOf} from './lib.mjs';

serve(traitOf({
  'ordinary': {},
  // Every answer is an SSE stream of its own.
  'always-sse': {http: {answers: 'sse'}},
  // SSE only where something comes before the response.
  'mixed': {http: {answers: 'mixed'}},
}));
