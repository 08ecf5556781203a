// What users write, for tsc --strict.
import 'mcp-assay/vitest';
import { expect, test } from 'vitest';
import { matchers } from 'mcp-assay';

expect.extend(matchers);
test('x', async () => {
  await expect({ command: 'node' }).toConform({ revision: '2025-11-25' });
  await expect('http://127.0.0.1/').not.toConform();
});
