// Processes that are started for a run, and stopped with all that they started, whatever ends the run.
import { spawn } from 'node:child_process';

const running = new Set();
let is_ending = false;

// Whether a signal has ended the run: what is stopped for that reason proves nothing.
export const is_interrupted = () => is_ending;

process.on('exit', () => running.forEach((child) => signal_group(child, 'SIGKILL')));

// Each leads a group of its own, so that a signal to the group reaches what it started.
function signal_group(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone.
  }
}

// start(WORDS, OPTIONS): the child. `said` grows with what it prints, up to its last 64 KiB.
export function start([program, ...words], options = {}) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  child.said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      child.said = (child.said + data).slice(-65536);
    });
  }
  running.add(child);
  child.ended = new Promise((resolve) => {
    child.on('error', (error) => {
      child.said += error.message;
      running.delete(child);
      resolve(127);
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  return child;
}

// stop(CHILD): by SIGTERM, and by SIGKILL where it does not end within two seconds; then what it left running.
export async function stop(child) {
  signal_group(child, 'SIGTERM');
  const timer = setTimeout(() => signal_group(child, 'SIGKILL'), 2000);
  await child.ended;
  clearTimeout(timer);
  signal_group(child, 'SIGKILL');
}

// run(WORDS, SECONDS, OPTIONS): its exit status and what it said; `status` is 'late' where it took longer.
export async function run(words, seconds, options = {}) {
  const child = start(words, options);
  let is_late = false;
  const timer = setTimeout(() => {
    is_late = true;
    stop(child);
  }, seconds * 1000);
  const status = await child.ended;
  clearTimeout(timer);
  return { status: is_late ? 'late' : status, said: child.said };
}

// first_match(CHILD, PATTERN, SECONDS): what PATTERN finds in what the child says, or undefined.
export async function first_match(child, pattern, seconds) {
  const until = Date.now() + seconds * 1000;
  let has_ended = false;
  child.ended.then(() => {
    has_ended = true;
  });
  for (;;) {
    const found = pattern.exec(child.said);
    if (found) return found[0];
    if (has_ended || Date.now() > until) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function stop_all() {
  await Promise.all([...running].map(stop));
}

// on_interruption(TELL): Ctrl-C and SIGTERM stop everything; TELL says what was done so far.
export function on_interruption(tell) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, async () => {
      if (is_ending) return;
      is_ending = true;
      await tell();
      await stop_all();
      process.exit(130);
    });
  }
}
