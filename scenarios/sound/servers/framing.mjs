// Servers whose messages look unusual on the wire: "Messages are delimited by newlines" (stdio), and
// JSON, HTTP and server-sent events leave much freedom for the rest.

import {sleep} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const styled = (style) => ({stdio: {style}, http: {style, answers: 'mixed'}});
const events = (sse) => ({http: {answers: 'sse', sse}});

// mCP-sESSION-iD, and the like.
const swapped = (name) => name.replace(
    /[a-z]/gi, (letter) => letter < 'a' ? letter.toLowerCase() : letter.toUpperCase());

let turn = 0;

serve(traitOf({
  // One byte at a time: each is a write, over HTTP a chunk of its own.
  'bytes': {stdio: {writer: 'bytes'}, http: {chunk: 1, answers: 'mixed'}},
  // Several messages in one write.
  'gathered': {stdio: {writer: 'gathered'}, http: {answers: 'mixed'}},
  'escapes': styled({escape: true}),
  'spaces': styled({space: ' \t '}),
  'reversed': styled({reverse: true}),
  // White space in a message may be a line end, too: in an event it then has several lines of data.
  'lines-of-data': {http: {answers: 'sse', style: {space: '\n'}}},
  'crlf': events({newline: '\r\n', tight: true, event: 'message'}),
  'cr': events({newline: '\r', comment: 'old line ends'}),
  // A byte order mark at the beginning, fields that nobody knows, and comments amid an event.
  'odd-fields': events({bom: true, odd: true, retry: 1234}),
  'comments': {http: {answers: 'sse', comments: 40, sse: {comment: ''}}},
  // Answers come in another order than the requests.
  'out-of-order': {
    http: {answers: 'mixed'},
    after: () => sleep([60, 5, 30, 0][turn++ % 4]),
  },
  'header-case': {http: {answers: 'mixed', headerCase: swapped}},
  'close': {http: {answers: 'mixed', headers: {Connection: 'close'}}},
  'charset': {
    http: {jsonType: 'application/json; charset=utf-8',
           headers: {'Cache-Control': 'no-store', 'X-Powered-By': 'hamsters', 'Vary': 'Origin'}},
  },
  // What is no JSON has no id, and no answer has to be made up for it.
  'silent-about-garbage': {stdio: {silentAboutGarbage: true}},
}));
