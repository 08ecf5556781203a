// Servers of the official SDK that run in this process. The program connects to a socket for each session (--socket), and
// each of these connections gets a server of its own here, by a transport that reads and writes lines as the SDK's
// transport for stdio does.
'use strict';
const { mkdtempSync, rmSync } = require('fs');
const net = require('net');
const { tmpdir } = require('os');
const { join } = require('path');
const { LineSplitter } = require('./lines.js');
const { AssayError, findProgram } = require('./program.js');

const isMessage = (value) => typeof value === 'object' && value !== null && value.jsonrpc === '2.0';
const isServer = (value) => typeof value?.connect === 'function' && typeof value?.close === 'function';

// A transport as Protocol.connect() of the SDK takes it.
class LineTransport {
  constructor(socket) {
    this.socket = socket;
    this.isClosed = false;
  }

  async start() {
    const splitter = new LineSplitter();
    this.socket.on('data', (part) => splitter.push(part).forEach((line) => this.receive(line)));
    this.socket.on('error', (error) => this.onerror?.(error));
    this.socket.on('close', () => this.close());
    this.socket.resume();
  }

  receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch (error) {
      this.onerror?.(error);
      return;
    }
    if (isMessage(message)) this.onmessage?.(message);
    else this.onerror?.(new Error('not a message of JSON-RPC'));
  }

  send(message) {
    return new Promise((resolve, reject) => {
      this.socket.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.socket.end();
    this.onclose?.();
  }
}

class Bridge {
  // Listens for the program, whose options are those of `options` with a socket in place of the server.
  static async open(options) {
    const { server, ...others } = options;
    if (isServer(server)) {
      throw new AssayError('a server of the SDK has one session only: give a function that makes one, () => createServer()');
    }
    if (typeof server !== 'function') throw new AssayError('the option server takes a function that makes a server of the SDK');
    for (const other of ['command', 'args', 'env', 'url', 'sseUrl', 'start']) {
      if (options[other] !== undefined) throw new AssayError(`the options server and ${other} do not go together`);
    }
    const found = findProgram({ program: options.program });
    if (found.isContainer) throw new AssayError('a container cannot reach a server in this process: give its command or URL');
    const bridge = new Bridge(server);
    await bridge.listen();
    bridge.options = { ...others, options: [...(others.options ?? []), '--socket', bridge.path] };
    return bridge;
  }

  constructor(makeServer) {
    this.makeServer = makeServer;
    this.folder = mkdtempSync(join(tmpdir(), 'mcp-assay-'));
    this.path = join(this.folder, 's');
    this.sockets = new Set();
    this.trouble = undefined; // the first error of making or connecting a server
  }

  listen() {
    const onConnection = (socket) => {
      this.sockets.add(socket);
      socket.setEncoding('utf8');
      socket.on('close', () => this.sockets.delete(socket));
      this.serve(socket).catch((error) => {
        this.trouble ??= error;
        socket.destroy();
      });
    };
    this.listener = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, onConnection);
    return new Promise((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen(this.path, resolve);
    });
  }

  // One session, to its end.
  async serve(socket) {
    const ended = new Promise((resolve) => {
      socket.once('end', resolve);
      socket.once('close', resolve);
    });
    socket.on('error', () => socket.destroy());
    const server = await this.makeServer();
    if (!isServer(server)) throw new AssayError('the function server has to make a server of the SDK');
    await server.connect(new LineTransport(socket));
    await ended;
    await server.close();
    socket.end();
  }

  async close() {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => { this.listener.close(resolve); });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

module.exports = { Bridge };
