require('mcp-assay/jest');

test('the server keeps the specification', async () => {
  await expect({ command: 'node', args: ['server.js'] }).toConform({ revision: '2025-11-25' });
}, 120_000);
