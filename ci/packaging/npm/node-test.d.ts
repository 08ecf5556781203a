import type { CertifyOptions, ServerUnderTest } from './index.js';

export interface Expectation {
  /** Certifies the server; a failure shows each broken rule, its bytes and its fix. */
  toConform(options?: CertifyOptions): Promise<void>;
}

export function expect(target: ServerUnderTest): Expectation & { not: Expectation };
