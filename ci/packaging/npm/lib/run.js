// Runs the program and reads its events.
'use strict';
const { spawn } = require('child_process');
const { existsSync } = require('fs');
const { Bridge } = require('./bridge.js');
const { linesOf } = require('./lines.js');
const { AssayError, findProgram } = require('./program.js');
const { wordsOf } = require('./words.js');

const kLastWords = 4096; // characters of standard error that an error repeats
const kPatience = 10_000; // ms that the program has for stopping its server, before it is killed

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));

// What the program says on standard error, as far as an error may repeat it.
function lastWords(child) {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part) => { text = (text + part).slice(-kLastWords); });
  return () => text.trim();
}

// Asks the program to stop, which stops its server too; kills it if it does not.
function stop(child) {
  if (!running.has(child)) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), kPatience);
  child.once('close', () => clearTimeout(timer));
}

const reasonOf = (signal) => signal.reason ?? new AssayError('the run was aborted');

// The program's events; the last is 'finished', with the report. Leaving the loop early stops the program.
async function* eventsOf(words, { signal, cwd, program }) {
  const { command, args } = findProgram({ program, cwd });
  const child = spawn(command, [...args, ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const said = lastWords(child);
  const ended = new Promise((resolve) => {
    const end = (how) => {
      running.delete(child);
      resolve(how);
    };
    child.on('error', (error) => end({ error }));
    child.on('close', (status, killedBy) => end({ status, killedBy }));
  });
  const onAbort = () => stop(child);
  signal?.addEventListener('abort', onAbort);
  let isFinished = false;
  try {
    for await (const line of linesOf(child.stdout)) {
      if (signal?.aborted) break;
      const event = JSON.parse(line);
      isFinished = isFinished || event.event === 'finished';
      yield event;
    }
    const end = await ended;
    if (signal?.aborted) throw reasonOf(signal);
    if (end.error) throw new AssayError(`${command}: ${end.error.message}`);
    if (!isFinished) throw new AssayError(said() || `mcp-assay ended with ${end.killedBy ?? end.status}`, end.status ?? 2);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stop(child);
    await ended;
  }
}

async function* certifyEvents(options = {}) {
  if (typeof options !== 'object' || options === null) throw new AssayError('certify takes an object of options, such as { command }');
  const { signal, cwd, program } = options;
  if (cwd !== undefined && !existsSync(cwd)) throw new AssayError(`there is no folder ${cwd}`);
  if (signal?.aborted) throw reasonOf(signal);
  if (options.server === undefined) {
    yield* eventsOf(wordsOf(options), { signal, cwd, program });
    return;
  }
  const bridge = await Bridge.open(options);
  try {
    yield* eventsOf(wordsOf(bridge.options), { signal, cwd, program });
    if (bridge.trouble) throw bridge.trouble;
  } catch (error) {
    throw bridge.trouble ?? error;
  } finally {
    await bridge.close();
  }
}

async function certify(options = {}) {
  let last;
  for await (const event of certifyEvents(options)) {
    options?.onEvent?.(event);
    last = event;
  }
  const { conformant, exit_status: exitStatus, failures, text, report } = last;
  return { conformant, exitStatus, failures, text, report };
}

module.exports = { certify, certifyEvents };
