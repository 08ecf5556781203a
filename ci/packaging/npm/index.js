// The API: index.d.ts describes it.
'use strict';
const { matchers } = require('./lib/matcher.js');
const { AssayError } = require('./lib/program.js');
const { certify, certifyEvents } = require('./lib/run.js');

module.exports = { AssayError, certify, certifyEvents, matchers };
