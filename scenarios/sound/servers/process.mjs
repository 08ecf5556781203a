// Servers over stdio that are unusual as processes (Transports, stdio; Lifecycle, Shutdown).

import {spawn} from 'node:child_process';
import {createReadStream} from 'node:fs';
import {fileURLToPath} from 'node:url';

import {serve, traitOf} from './lib.mjs';

// Starts the server as a child that inherits the streams, as a launcher does.
function wrapped() {
  const words = process.argv.slice(2).map((word) => word === 'wrapped' ? 'plain' : word);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...words], {stdio: 'inherit'});
  child.on('exit', (status) => process.exit(status ?? 1));
  process.on('SIGTERM', () => child.kill());
  return undefined;
}

// Reads a little at a time. (A stream that pauses and resumes would do, but Node.js loses a chunk now and then.)
function sipping() {
  Object.defineProperty(process, 'stdin', {value: createReadStream('', {fd: 0, highWaterMark: 512})});
  return {};
}

const traits = traitOf({
  'plain': {},
  'wrapped': wrapped,
  'sips': sipping,
  // As written by a program of Windows: a carriage return is white space to JSON.
  'crlf': {stdio: {lineEnd: '\r\n'}},
  // Does not end by SIGTERM, but when its input does, with a status of its own.
  'keeps-on': () => {
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    return {stdio: {exitDelay: 700, exitStatus: 3}};
  },
  // Messages above this size are refused before they are parsed.
  'small-only': {stdio: {lineLimit: 65536}},
});
if (traits) serve(traits);
