// Header fields that repeat parameters of a tool (2026-07-28): x-mcp-header in its inputSchema.

/** Every place where a schema says x-mcp-header: {path, schema}; the path is null where only `properties` may lead, and something else did. */
function* marks(schema, path, seen = new Set()) {
  if (schema === null || typeof schema !== 'object' || seen.has(schema)) return;
  seen.add(schema);
  if (!Array.isArray(schema) && Object.hasOwn(schema, 'x-mcp-header')) yield { path, schema };
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && value && typeof value === 'object' && !Array.isArray(schema)) {
      for (const [name, property] of Object.entries(value)) yield* marks(property, path && [...path, name], seen);
    } else if (!['default', 'const', 'enum', 'examples'].includes(key)) {
      yield* marks(value, null, seen);
    }
  }
}

/** The parameters to repeat, as [{path, name}], or null where the definition breaks a rule. */
export function repeatedParameters(tool) {
  const found = [];
  const names = new Set();
  for (const { path, schema } of marks(tool.inputSchema ?? {}, [])) {
    const name = schema['x-mcp-header'];
    if (path === null || path.length === 0) return null;
    if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return null;
    if (!['integer', 'string', 'boolean'].includes(schema.type)) return null;
    if (names.has(name.toLowerCase())) return null;
    names.add(name.toLowerCase());
    found.push({ path, name });
  }
  return found;
}

/** A value as a header field carries it: plain where that is safe, and in Base64 elsewhere. */
export function encoded(value) {
  const text = String(value);
  const plain = /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !(text.startsWith('=?base64?') && text.endsWith('?='));
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

export function headersFor(tool, values) {
  const fields = {};
  for (const { path, name } of repeatedParameters(tool) ?? []) {
    let value = values;
    for (const step of path) value = value !== null && typeof value === 'object' && Object.hasOwn(value, step) ? value[step] : undefined;
    if (value !== undefined && value !== null) fields[`Mcp-Param-${name}`] = encoded(value);
  }
  return fields;
}
