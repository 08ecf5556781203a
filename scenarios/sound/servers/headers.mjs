// The headers of a request of 2026-07-28 have to say what its body says.

import {META} from './protocol.mjs';

const NAMED = {'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri'};

// A value as it was before it was encoded for a header; undefined if it is none.
function decoded(value) {
  const coded = /^=\?base64\?(.*)\?=$/.exec(value);
  if (!coded) return /^[\x20-\x7e\t]*$/.test(value) ? value : undefined;
  const bytes = Buffer.from(coded[1], 'base64');
  return bytes.toString('base64') === coded[1] ? bytes.toString('utf8') : undefined;
}

// What is wrong with the headers, or undefined.
export function headerFault(message, headers, traits) {
  const {method, params} = message;
  const version = headers['mcp-protocol-version'];
  if (version === undefined) return 'MCP-Protocol-Version is missing';
  const stated = params?._meta?.[`${META}protocolVersion`];
  if (stated !== undefined && stated !== version) {
    return 'MCP-Protocol-Version differs from _meta';
  }
  if (headers['mcp-method'] === undefined) return 'Mcp-Method is missing';
  if (headers['mcp-method'] !== method) return 'Mcp-Method differs from method';
  if (Object.hasOwn(NAMED, method)) {
    const name = headers['mcp-name'];
    if (name === undefined) return 'Mcp-Name is missing';
    const value = params?.[NAMED[method]];
    if (typeof value === 'string' && decoded(name) !== value) return 'Mcp-Name differs from the body';
  }
  if (method !== 'tools/call') return undefined;
  const tool = traits.tools.find(({name}) => name === params?.name);
  return tool && mirrored(tool.inputSchema, params.arguments ?? {}, headers);
}

// Parameters that the schema marks with x-mcp-header.
function mirrored(schema, given, headers) {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const value = given?.[name];
    if (part['x-mcp-header']) {
      const header = headers[`mcp-param-${part['x-mcp-header'].toLowerCase()}`];
      if (value === undefined || value === null) {
        if (header !== undefined) return `Mcp-Param-${part['x-mcp-header']} has no value in the body`;
        continue;
      }
      if (header === undefined) return `Mcp-Param-${part['x-mcp-header']} is missing`;
      const text = decoded(header);
      const same = typeof value === 'number' ? Number(text) === value : text === String(value);
      if (text === undefined || !same) return `Mcp-Param-${part['x-mcp-header']} differs from the body`;
    } else if (part.properties) {
      const fault = mirrored(part, value, headers);
      if (fault) return fault;
    }
  }
  return undefined;
}
