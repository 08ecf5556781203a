// What users write, for tsc --strict.
import { certify, certifyEvents, AssayError, type Result, type Verdict, type Event } from 'mcp-assay';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect } from 'mcp-assay/node-test';

const result: Result = await certify({ command: 'node', args: ['s.js'], revisions: ['2025-11-25'], signal: AbortSignal.timeout(1000) });
const verdicts: Verdict[] = result.report.runs.flatMap((run) => run.verdicts);
for (const verdict of verdicts) if (verdict.outcome === 'violated') console.log(verdict.evidence?.[0]?.pointer);
for await (const event of certifyEvents({ server: () => new McpServer({ name: 'a', version: '1' }) })) {
  if (event.event === 'scenario') console.log(event.duration_ms.toFixed());
  if (event.event === 'finished') console.log(event.report.tool.version);
  const seen: Event = event;
}
await expect('http://127.0.0.1:1/mcp').not.toConform({ strict: true });
await expect(() => new McpServer({ name: 'a', version: '1' })).toConform();
// @ts-expect-error there is no such option
await certify({ comand: 'x' });
// @ts-expect-error there is no such outcome
verdicts[0]!.outcome === 'broken';
declare const error: unknown;
if (error instanceof AssayError) console.log(error.status.toFixed());
