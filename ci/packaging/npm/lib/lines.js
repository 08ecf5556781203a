// Splits text into lines. Only '\n' ends a line: readline would also split at U+2028, which may be part of a message.
'use strict';

class LineSplitter {
  constructor() { this.parts = []; }

  // The lines that are complete with this part, without their ends.
  push(part) {
    const lines = part.split('\n');
    if (lines.length === 1) {
      this.parts.push(part);
      return [];
    }
    lines[0] = this.parts.join('') + lines[0];
    this.parts = [lines.pop()];
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
}

async function* linesOf(stream) {
  const splitter = new LineSplitter();
  for await (const part of stream.setEncoding('utf8')) yield* splitter.push(part);
}

module.exports = { LineSplitter, linesOf };
