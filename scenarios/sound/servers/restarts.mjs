// A server that loses its sessions: "The server MAY terminate the session at any time, after which it
// MUST respond to requests containing that session ID with HTTP 404 Not Found" (Session Management).

import {serve, traitOf} from './lib.mjs';

const legacy = ['2025-03-26', '2025-06-18', '2025-11-25'];

// After so many requests all sessions are gone, and again if `often`.
function forgetting(count, often) {
  let taken = 0;
  return {
    revisions: legacy,
    http: {
      answers: 'mixed',
      gate(request, response, server) {
        taken++;
        if (taken === count || (often && taken % count === 0)) {
          for (const session of [...server.sessions.values()]) server.close(session);
        }
        return false;
      },
    },
  };
}

serve(traitOf({
  'once': () => forgetting(60, false),
  'often': () => forgetting(25, true),
}));
