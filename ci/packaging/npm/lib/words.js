// The command line of the program that says what the options of `certify` say.
'use strict';
const { AssayError } = require('./program.js');

const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

// Options with one value, and those that may come several times.
const kSingle = {
  url: '--url', sseUrl: '--sse-url', expectedFailures: '--expected-failures', catalogue: '--catalogue', jobs: '--jobs',
  timeout: '--timeout', maxTime: '--max-time',
};
const kRepeated = { revisions: '--revision', revision: '--revision', scenarios: '--scenario', profiles: '--profile' };
const kFlags = { strict: '--strict', quick: '--quick', start: '--start' };
const kOthers = ['command', 'args', 'env', 'headers', 'server', 'tools', 'cwd', 'project', 'program', 'signal', 'options', 'onEvent'];

const kKnown = new Set([...Object.keys(kSingle), ...Object.keys(kRepeated), ...Object.keys(kFlags), ...kOthers]);

// A command in words; a text in place of a list is one word.
function wordsIn(name, value) {
  const words = listOf(value);
  if (!words.every((word) => typeof word === 'string')) throw new AssayError(`the option ${name} takes a text or a list of texts`);
  return words;
}

function targetWords(options) {
  const { command, args, env = {}, headers = {} } = options;
  const words = [];
  for (const [name, value] of Object.entries(env)) words.push('--env', `${name}=${value}`);
  for (const [name, value] of Object.entries(headers)) words.push('--header', `${name}: ${value}`);
  const target = [...wordsIn('command', command), ...wordsIn('args', args)];
  return { words, target: target.length > 0 ? ['--', ...target] : [] };
}

// ['server', '--events', '-', ...]. Throws AssayError for an option that does not exist.
function wordsOf(options) {
  for (const name of Object.keys(options)) {
    if (!kKnown.has(name)) throw new AssayError(`certify has no option ${name}`);
  }
  const words = ['server', '--project', options.project ?? 'none', '--events', '-', '--color', 'never'];
  for (const [name, option] of Object.entries(kSingle)) {
    if (options[name] !== undefined) words.push(option, String(options[name]));
  }
  for (const [name, option] of Object.entries(kRepeated)) {
    for (const value of listOf(options[name])) words.push(option, String(value));
  }
  for (const [name, option] of Object.entries(kFlags)) {
    if (options[name]) words.push(option);
  }
  if (options.tools !== undefined) words.push('--tools', listOf(options.tools).join(','));
  const { words: further, target } = targetWords(options);
  return [...words, ...further, ...listOf(options.options), ...target];
}

module.exports = { wordsOf };
