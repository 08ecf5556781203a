import 'vitest';
import type { CertifyOptions } from './index.mjs';

declare module 'vitest' {
  // The type parameters have to be those of vitest.
  interface Assertion<T = any> {
    /** Certifies the server; a failure shows each broken rule, its bytes and its fix. */
    toConform(options?: CertifyOptions): Promise<void>;
  }
}
