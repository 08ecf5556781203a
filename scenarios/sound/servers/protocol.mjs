// Messages: reading and writing JSON exactly, errors, ids, and the revisions of the specification.

export const MODERN = '2026-07-28';
export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const ALL = [...LEGACY, MODERN];

export const META = 'io.modelcontextprotocol/';
export const LEVELS =
    ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const isObject = (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

// An error that becomes a JSON-RPC error response; `status` is for HTTP.
export class RpcError extends Error {
  constructor(code, message, data, status) {
    super(message);
    Object.assign(this, {code, data, status});
  }
}

// Integers of 16 digits and more do not fit into a double: they are read as BigInt, so that ids and
// progress tokens go back exactly as they came. The first alternative skips over strings.
const LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const MARK = '\u0000integer ';

export function parse(text) {
  JSON.parse(text);  // Throws for what is no JSON.
  const marked = text.replace(
      LONG, (part) => part[0] === '"' ? part : JSON.stringify(MARK + part));
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value);
}

// JSON.stringify with BigInt. `style` makes the text unusual: `escape` writes every character of
// strings as \uXXXX, `space` is put between all tokens, `reverse` turns the order of members round.
export function stringify(value, style = {}) {
  const space = style.space ?? '';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return style.escape ? escapeAll(value) : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = (part) => stringify(part, style);
  if (Array.isArray(value)) {
    return `[${space}${value.map(inner).join(`${space},${space}`)}${space}]`;
  }
  const members = Object.entries(value).filter(([, part]) => part !== undefined);
  if (style.reverse) members.reverse();
  const texts = members.map(([key, part]) => `${inner(key)}${space}:${space}${inner(part)}`);
  return `{${space}${texts.join(`${space},${space}`)}${space}}`;
}

function escapeAll(text) {
  const units = [...Array(text.length).keys()].map(
      (at) => '\\u' + text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.join('')}"`;
}

export const validId = (id) =>
    typeof id === 'string' || typeof id === 'bigint' || Number.isInteger(id);

// A key for maps: the string "1" and the number 1 are different ids.
export const keyOf = (id) => `${typeof id === 'string' ? 's' : 'n'}${id}`;

// From 2025-11-25 on, an error that answers nobody in particular has no id; JSON-RPC has null there.
export function errorMessage(id, error, revision) {
  const {code, message, data} = error;
  const body = {code, message};
  if (data !== undefined) body.data = data;
  if (id !== undefined) return {jsonrpc: '2.0', id, error: body};
  return revision >= '2025-11-25' ? {jsonrpc: '2.0', error: body} :
                                    {jsonrpc: '2.0', id: null, error: body};
}

// Validates against as much of JSON Schema as the tools here use. Returns a complaint, or undefined.
export function complaint(schema, value, path = 'arguments') {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length && !types.some((type) => hasType(type, value))) {
    return `${path} has to be of type ${types.join(' or ')}`;
  }
  if (schema.enum && !schema.enum.includes(value)) return `${path} has to be one of ${schema.enum}`;
  if (schema.const !== undefined && schema.const !== value) return `${path} has to be ${schema.const}`;
  if (value < schema.minimum) return `${path} has to be at least ${schema.minimum}`;
  if (value > schema.maximum) return `${path} has to be at most ${schema.maximum}`;
  if (typeof value === 'string') {
    if (value.length < schema.minLength) return `${path} is too short`;
    if (value.length > schema.maxLength) return `${path} is too long`;
    if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) {
      return `${path} does not match ${schema.pattern}`;
    }
  }
  if (Array.isArray(value)) {
    if (value.length < schema.minItems) return `${path} has too few items`;
    if (value.length > schema.maxItems) return `${path} has too many items`;
    if (isObject(schema.items)) {
      return value.map((part, at) => complaint(schema.items, part, `${path}[${at}]`)).find(Boolean);
    }
  }
  if (isObject(value)) {
    const missing = (schema.required ?? []).find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `${path} has no ${missing}`;
    const known = schema.properties ?? {};
    for (const [name, part] of Object.entries(value)) {
      if (Object.hasOwn(known, name)) {
        const found = complaint(known[name], part, `${path}.${name}`);
        if (found) return found;
      } else if (schema.additionalProperties === false) {
        return `${path} must not have ${name}`;
      } else if (isObject(schema.additionalProperties)) {
        const found = complaint(schema.additionalProperties, part, `${path}.${name}`);
        if (found) return found;
      }
    }
  }
  return undefined;
}

function hasType(type, value) {
  switch (type) {
    case 'object': return isObject(value);
    case 'array': return Array.isArray(value);
    case 'null': return value === null;
    case 'integer': return typeof value === 'bigint' || Number.isInteger(value);
    case 'number': return typeof value === 'number' || typeof value === 'bigint';
    default: return typeof value === type;
  }
}
