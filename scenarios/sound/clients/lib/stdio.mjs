// The client's end of stdio: the server is a child, each line is a message.
import { spawn } from 'node:child_process';
import { sleep } from './traits.mjs';
import { written } from './wire.mjs';

export class Stdio {
  /** `onMessage(message)` is called for each message, `onGone()` when the server ends though it was not told to. */
  constructor(task, onMessage, onGone) {
    Object.assign(this, { task, onMessage, onGone, closing: false });
  }

  open() {
    const words = this.task.command;
    const options = { stdio: ['pipe', 'pipe', this.task.chatty ? 'inherit' : 'ignore'] };
    const child = words.length === 1 ? spawn(words[0], { ...options, shell: true }) : spawn(words[0], words.slice(1), options);
    this.child = child;
    this.ended = new Promise((resolve) => child.on('close', resolve));
    let rest = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) this.#take(line);
    });
    child.stdin.on('error', () => {});
    child.on('error', () => {});
    child.on('close', () => { if (!this.closing && this.child === child) this.onGone(); });
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;  // no JSON: nothing that could be answered
    }
    this.onMessage(message);
  }

  async send(message) {
    const line = written(this.task, message) + '\n';
    if (this.task.body !== 'bytes') {
      this.child.stdin.write(line);
      return;
    }
    // Bytes of two messages must not mix: each waits until the last one is written.
    const before = this.writing ?? Promise.resolve();
    this.writing = before.then(async () => {
      const bytes = Buffer.from(line);
      for (let at = 0; at < bytes.length; at += 8) {
        this.child.stdin.write(bytes.subarray(at, at + 8));
        await new Promise(setImmediate);
      }
    });
    await this.writing;
  }

  /** As the specification has it: the end of the input, SIGTERM, SIGKILL. */
  async close() {
    this.closing = true;
    await this.writing;
    this.child.stdin.end();
    for (const [index, signal] of this.task.signals.entries()) {
      if (await Promise.race([this.ended.then(() => true), sleep(this.task.shutdown[index]).then(() => false)])) return;
      this.child.kill(signal);
    }
    await Promise.race([this.ended, sleep(500)]);
  }
}
