// JSON.parse, for `mcp-assay fuzz-parser -- node fuzz/adapters/node.js`. The bytes become text as
// Node's SDKs do it: not UTF-8 is not refused, but replaced.
'use strict';
const readline = require('node:readline');

const lines = readline.createInterface({input: process.stdin, terminal: false});
lines.on('line', (line) => {
  const text = Buffer.from(line, 'base64').toString('utf8');
  try {
    process.stdout.write(`accept ${JSON.stringify(JSON.parse(text))}\n`);
  } catch (error) {
    process.stdout.write('refuse\n');
  }
});
