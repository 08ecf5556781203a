// expect(server).toConform(options), for vitest, jest and node:test.
'use strict';
const { AssayError } = require('./program.js');
const { certify } = require('./run.js');

// The options that a target stands for: a URL, a server in this process, or options themselves.
function optionsOf(target) {
  if (typeof target === 'string') return { url: target };
  if (target instanceof URL) return { url: target.href };
  if (typeof target === 'function' || typeof target?.connect === 'function') return { server: target };
  if (typeof target === 'object' && target !== null) return target;
  throw new AssayError('toConform needs a server: options of certify, a URL, or a function that makes a server of the SDK');
}

// What jest and vitest take from a matcher. What could not be tested does neither conform nor not.
async function toConform(target, options = {}) {
  const result = await certify({ ...optionsOf(target), ...options });
  if (![0, 1].includes(result.exitStatus)) throw new AssayError(`the server could not be tested:\n\n${result.text}`, result.exitStatus);
  return {
    pass: result.conformant,
    message: () => (result.conformant ? `the server conforms, and should not:\n\n${result.text}` : result.text),
  };
}

module.exports = { matchers: { toConform } };
