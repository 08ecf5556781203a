// The npm packages that ci/mutants installed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { kRoot } from '../sound/peers.mjs';

export const kBuild = join(kRoot, 'build/mutants');
export const packages = createRequire(join(kBuild, 'package.json'));
