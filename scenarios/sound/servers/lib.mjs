// Starts a server of the handshake era, of 2026-07-28, or of both. What is unusual about it are its
// traits; everything that a trait does not name is ordinary. The options of the command line:
//   --trait NAME     which of the traits of a program (see `traitOf`)
//   --revision R     speaks only this revision (repeatable; default: all that the traits name)
//   --http           Streamable HTTP on a free port of 127.0.0.1 instead of stdio, at /mcp
//   --sse            HTTP+SSE of 2024-11-05 instead, with the stream at /sse

import {prompts, resources, templates, tools} from './content.mjs';
import {HttpServer} from './http.mjs';
import {startOldSse} from './old-sse.mjs';
import {Peer} from './peer.mjs';
import {ALL} from './protocol.mjs';
import {startStdio} from './stdio.mjs';

function valuesOf(option) {
  return process.argv.filter((_, at) => process.argv[at - 1] === option);
}

export const overHttp = process.argv.includes('--http');

// The traits that the command line chooses from those of a program.
export function traitOf(choices) {
  const name = valuesOf('--trait')[0] ?? Object.keys(choices)[0];
  if (!Object.hasOwn(choices, name)) {
    process.stderr.write(`no trait ${name}; there are: ${Object.keys(choices).join(', ')}\n`);
    process.exit(2);
  }
  const chosen = choices[name];
  return typeof chosen === 'function' ? chosen() : chosen;
}

export function serve(traits) {
  const asked = valuesOf('--revision');
  const whole = {
    info: {name: 'sound', title: 'A sound server', version: '1.0.0'},
    capabilities: {tools: {}, prompts: {}, resources: {}, completions: {}, logging: {}},
    tools, prompts, resources, templates,
    ...traits,
    revisions: (traits.revisions ?? ALL).filter((one) => !asked.length || asked.includes(one)),
  };
  if (!whole.revisions.length) {
    process.stderr.write(`does not speak ${asked}\n`);
    process.exit(2);
  }
  const peer = new Peer(whole);
  if (overHttp) new HttpServer(peer).start();
  else if (process.argv.includes('--sse')) startOldSse(peer);
  else startStdio(peer);
  return peer;
}
