// Where the program is: in the package for this platform, or, where there is none, in a container image.
'use strict';
const { spawnSync } = require('child_process');
const { resolve } = require('path');

// The program is missing, it was used in a wrong way, or it could not test the target.
class AssayError extends Error {
  constructor(message, status = 2) {
    super(message);
    this.name = 'AssayError';
    this.status = status;
  }
}

const kElsewhere = 'mcp-assay is for Linux (x86-64, arm64) and WSL; elsewhere, name its container image in MCP_ASSAY_IMAGE ' +
  'and install Docker or Podman';

const exists = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

// The words before the arguments of mcp-assay in a container that sees `folder`. The network is the host's, so that servers
// at 127.0.0.1 are reached; of the environment it has the variables that are ours, such as secrets of clients.
function inContainer(image, folder, isTerminal) {
  const engine = ['docker', 'podman'].find(exists);
  if (engine === undefined) throw new AssayError(`MCP_ASSAY_IMAGE is set, but neither Docker nor Podman is there: ${kElsewhere}`);
  const words = ['run', '--rm', '--interactive', '--network', 'host', '--volume', `${resolve(folder)}:/work`, '--workdir', '/work'];
  if (isTerminal) words.push('--tty');
  for (const name of Object.keys(process.env)) if (name.startsWith('MCP_ASSAY_')) words.push('--env', name);
  return { command: engine, args: [...words, image], isContainer: true };
}

// { command, args, isContainer }: how the program is started. Throws AssayError where it cannot be.
function findProgram({ program, cwd = '.', isTerminal = false } = {}) {
  if (program !== undefined) return { command: program, args: [], isContainer: false };
  const name = `mcp-assay-${process.platform}-${process.arch}`;
  try {
    return { command: require.resolve(`${name}/bin/mcp-assay`), args: [], isContainer: false };
  } catch {
    const image = process.env.MCP_ASSAY_IMAGE;
    if (image) return inContainer(image, cwd, isTerminal);
    const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
    throw new AssayError(isKnown ? `the package ${name} is not installed: install it beside mcp-assay` : kElsewhere);
  }
}

module.exports = { AssayError, findProgram };
