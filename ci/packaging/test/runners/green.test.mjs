import 'mcp-assay/vitest';
import { expect, test } from 'vitest';

test('the server keeps the specification', { timeout: 120_000 }, async () => {
  await expect({ command: 'node', args: ['server.js'] }).toConform({ revision: '2025-11-25' });
});
