// expect(server).toConform(options) for node:test, which has no matchers of its own.
'use strict';
const { AssertionError } = require('assert');
const { matchers } = require('./lib/matcher.js');

function check(target, options, isWanted, stackStart) {
  return matchers.toConform(target, options).then(({ pass, message }) => {
    if (pass === isWanted) return;
    throw new AssertionError({ message: message(), actual: pass, expected: isWanted, operator: 'toConform', stackStartFn: stackStart });
  });
}

function expect(target) {
  return {
    toConform: (options) => check(target, options, true, expect),
    not: { toConform: (options) => check(target, options, false, expect) },
  };
}

module.exports = { expect };
