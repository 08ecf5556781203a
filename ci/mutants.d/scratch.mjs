// Scratch copies of a package in which one file is changed. Whatever else it needs it shares with the installed packages.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kBuild } from './packages.mjs';

const kModules = join(kBuild, 'node_modules');
const kServers = join(dirname(fileURLToPath(import.meta.url)), 'servers');

function share(from, to, but) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== but && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  }
}

// Its files that may be changed, by path within the package.
export function files_of(subject) {
  const home = join(kModules, subject.package);
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && /\.m?js$/.test(each.name))
    .map((each) => relative(home, join(each.parentPath ?? each.path, each.name)))
    .filter((file) => subject.files.test(file)).sort();
}

export const source_of = (subject, file) => readFileSync(join(kModules, subject.package, file), 'utf8');
export const version_of = (subject) => JSON.parse(source_of(subject, 'package.json')).version;

// A copy to work in, of its own for each worker.
export class Scratch {
  constructor(subject) {
    mkdirSync(join(kBuild, 'scratch'), { recursive: true });
    this.subject = subject;
    this.home = mkdtempSync(join(kBuild, 'scratch', `${subject.name}-`));
    this.modules = join(this.home, 'node_modules');
    const [scope, name] = subject.package.split('/');
    share(kModules, this.modules, scope);
    share(join(kModules, scope), join(this.modules, scope), name);
    const is_needed = (from) => !/\.(?:d\.[mc]?ts|map)$/.test(from);
    cpSync(join(kModules, subject.package), join(this.modules, subject.package), { recursive: true, filter: is_needed });
    for (const name of readdirSync(kServers)) cpSync(join(kServers, name), join(this.home, name));
  }

  source(file) {
    return source_of(this.subject, file);
  }

  put(file, text) {
    writeFileSync(join(this.modules, this.subject.package, file), text);
  }

  // How the server is started in a folder that no other start has used. The folder has the same length each time.
  place() {
    const place = mkdtempSync(join(this.home, 'place-'));
    this.subject.prepare(place);
    return { place, words: [process.execPath, ...this.subject.words(this.modules, place)], env: this.subject.env(place) };
  }

  // How one process serves many sessions, at a Unix socket.
  at_socket(path) {
    return [process.execPath, join(this.home, 'at-socket.mjs'), this.subject.module(this.modules), path];
  }

  remove() {
    rmSync(this.home, { recursive: true, force: true });
  }
}
