// What users write, for tsc --strict.
import assay = require('mcp-assay');
import { certify } from 'mcp-assay';
import node = require('mcp-assay/node-test');

export async function run(): Promise<boolean> {
  await node.expect({ url: 'http://127.0.0.1/' }).toConform();
  return (await certify({ url: new URL('http://127.0.0.1/').href })).conformant && (await assay.certify({ command: ['x'] })).exitStatus === 0;
}
