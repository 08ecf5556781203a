// A sound client of all revisions. What is unusual about it is told by --trait (lib/traits.mjs lists them).
import { spawn } from 'node:child_process';
import { readTask, sleep } from './lib/traits.mjs';
import { Handshake } from './lib/handshake.mjs';
import { Stateless } from './lib/stateless.mjs';
import { ask, textOf } from './lib/wire.mjs';
import { work } from './lib/work.mjs';

const task = readTask();
if (task.chatty) {
  setInterval(() => process.stderr.write('{"jsonrpc":"2.0","method":"this is no message"}\nError: all is well\n'), 50).unref();
}

async function lookForAuthorization() {
  const url = new URL('/.well-known/oauth-protected-resource/mcp', task.url);
  await ask(task, 'GET', url, { Accept: 'application/json' }).then(textOf).catch(() => {});
}

/** Stops this process with all that it does; a child continues it. */
function stop() {
  const child = spawn('sh', ['-c', `sleep ${task.stop / 1000}; kill -CONT ${process.pid}`], { stdio: 'ignore' });
  child.unref();
  process.kill(process.pid, 'SIGSTOP');
}

async function run() {
  const client = task.revision === '2026-07-28' ? new Stateless(task) : new Handshake(task);
  if (task.vanish) setTimeout(() => process.kill(process.pid, 'SIGKILL'), task.vanish);
  if (task.stop) setTimeout(stop, 250).unref();
  try {
    await client.connect();
    await work(task, client);
  } catch (error) {
    console.error(`gave up: ${error.message}`);
    await sleep(task.linger);
  }
  await client.close().catch(() => {});
}

if (task.wellKnown && task.url) await lookForAuthorization();
await Promise.all(task.twoSessions ? [run(), run()] : [run()]);
if (task.twice) await run();
if (task.exit === 'abort') process.abort();
process.exit(task.exit === 'one' ? 1 : 0);
