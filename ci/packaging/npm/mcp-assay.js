#!/usr/bin/env node
// Runs the program of the package for this platform, with the same arguments, signals and exit status.
'use strict';
const { spawn } = require('child_process');

const name = `mcp-assay-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/mcp-assay`);
} catch {
  console.error(`mcp-assay: the package ${name} is not installed: either there is none for this platform, or npm was told to leave out optional dependencies`);
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`mcp-assay: ${program}: ${error.message}`);
  process.exit(2);
});
// Ctrl-C on a terminal reaches the child by itself; a second signal would end it without a report.
const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
process.on('SIGINT', () => isOnTerminal || child.kill('SIGINT'));
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
child.on('exit', (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
