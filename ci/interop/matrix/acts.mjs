// What the drivers of the matrix share: the acts that mcp-assay asks for, one after the other, and a word on how each
// went (harness/interop/INTEROP.md).
import { appendFileSync } from 'node:fs';

// An act that this client cannot do.
export class Cannot extends Error {}

export const words = process.argv.slice(2).filter((word) => word !== '--legacy');
export const isLegacy = process.argv.includes('--legacy');
export const isHttp = words.length === 1 && words[0].startsWith('http');

const plan = JSON.parse(process.env.MCP_ASSAY_ACTS ?? '[{"act":"connect"},{"act":"list"}]');
const log = process.env.MCP_ASSAY_ACTS_LOG;

function say(act, ok, why) {
  if (log) appendFileSync(log, JSON.stringify({ act, ok, why }) + '\n');
}

// `doers`: a function for each act that the client can do. Those that fail do not keep the others from being done.
export async function doActs(doers) {
  for (const errand of plan) {
    const doer = doers[errand.act];
    if (!doer) {
      say(errand.act, null, 'it has no such function');
      continue;
    }
    try {
      await doer(errand);
      say(errand.act, true);
    } catch (error) {
      const why = String(error?.message ?? error).slice(0, 500);
      say(errand.act, error instanceof Cannot ? null : false, why);
    }
  }
}

// Connects, does everything, and ends; a client that cannot connect exits with 1.
export async function main(connect, doers, close) {
  try {
    await connect();
  } catch (error) {
    say('connect', false, String(error?.message ?? error).slice(0, 500));
    console.error(error);
    process.exit(1);
  }
  // The session ends in between.
  const expire = async (errand) => {
    await doers.call(errand);
    await doers.call(errand);
  };
  await doActs({ connect: async () => {}, expire, ...doers });
  await close();
  process.exit(0);
}

export function good(result) {
  if (result?.isError) throw new Error(`the tool failed: ${JSON.stringify(result.content)}`);
  return result;
}
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export async function within(milliseconds, promise, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(what)), milliseconds); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// A value for each field of a form that has to have one.
export function filled(schema) {
  const content = {};
  for (const name of schema?.required ?? []) {
    const field = schema.properties?.[name] ?? {};
    const options = field.enum ?? field.oneOf?.map((each) => each.const);
    content[name] = field.default ?? options?.[0] ??
      { string: field.format === 'email' ? 'a@example.com' : 'Ann', number: field.minimum ?? 1, integer: field.minimum ?? 1,
        boolean: true, array: [] }[field.type];
  }
  return content;
}
