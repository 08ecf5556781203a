// `import 'mcp-assay/vitest'` gives vitest's expect the matcher toConform.
import { expect } from 'vitest';
import { matchers } from './index.mjs';

expect.extend(matchers);
