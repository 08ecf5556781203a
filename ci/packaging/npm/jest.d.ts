import type { CertifyOptions } from './index.js';

interface AssayMatchers {
  /** Certifies the server; a failure shows each broken rule, its bytes and its fix. */
  toConform(options?: CertifyOptions): Promise<void>;
}

// The type parameters have to be those of jest.
declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends AssayMatchers {}
  }
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends AssayMatchers {}
}
