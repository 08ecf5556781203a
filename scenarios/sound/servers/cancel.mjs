// Servers and cancellation: "Receivers MAY ignore cancellation notifications if ... the request
// cannot be cancelled" (Cancellation, Behavior Requirements).

import {echo, readOnly, text, wait} from './content.mjs';
import {sleep} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const stubborn = {
  name: 'stubborn',
  description: 'Takes a second, and cannot be cancelled: its answer comes in any case',
  inputSchema: {type: 'object', additionalProperties: false},
  annotations: readOnly,
  async call(_, context) {
    context.unstoppable = true;
    await sleep(1000);
    return text('It is done');
  },
};

// Stops, but only at its next step, half a second later.
const lazy = {
  ...stubborn, name: 'lazy', description: 'Takes two seconds; when it is cancelled it stops soon',
  async call(_, context) {
    for (let step = 0; step < 4 && !context.signal.aborted; step++) {
      context.progress(step, 4, 'on its way');
      await sleep(500);
    }
    return text('It is done');
  },
};

serve(traitOf({
  'stubborn': {revisions: legacy, tools: [echo, stubborn], http: {answers: 'mixed'}},
  'lazy': {tools: [echo, lazy], http: {answers: 'mixed'}},
  // Every request takes so long that its cancellation is always early enough.
  'always-early': {tools: [echo, wait], before: () => sleep(120), http: {answers: 'sse'}},
}));
