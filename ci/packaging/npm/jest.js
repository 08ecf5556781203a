// `require('mcp-assay/jest')`, or `import`, gives jest's expect the matcher toConform.
'use strict';
const { matchers } = require('./lib/matcher.js');

// Each test file has its own global `expect`; with `injectGlobals: false` it comes from a module.
(globalThis.expect ?? require('@jest/globals').expect).extend(matchers);
