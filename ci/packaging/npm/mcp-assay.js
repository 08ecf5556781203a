#!/usr/bin/env node
// Runs the program of the package for this platform, with the same arguments, signals and exit status.
'use strict';
const { spawn } = require('child_process');
const { findProgram } = require('./lib/program.js');

const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;

let found;
try {
  found = findProgram({ isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY) });
} catch (error) {
  console.error(`mcp-assay: ${error.message}`);
  process.exit(2);
}

const child = spawn(found.command, [...found.args, ...process.argv.slice(2)], { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`mcp-assay: ${found.command}: ${error.message}`);
  process.exit(2);
});
// Ctrl-C on a terminal reaches the child by itself; a second signal would end it without a report.
process.on('SIGINT', () => isOnTerminal || child.kill('SIGINT'));
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
child.on('exit', (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
