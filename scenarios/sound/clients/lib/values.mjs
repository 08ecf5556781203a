// Values that a schema accepts: for the arguments of tools, and for forms.

/** A value for a schema of the simple kind that tools and forms have. */
export function valueFor(schema, depth = 0) {
  if (schema === true || schema === undefined || depth > 6) return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice && choice.length) return valueFor(choice[0], depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string': return textFor(schema);
    case 'integer': return Math.ceil(schema.minimum ?? Math.min(7, schema.maximum ?? 7));
    case 'number': return schema.minimum ?? Math.min(7, schema.maximum ?? 7);
    case 'boolean': return true;
    case 'null': return null;
    case 'array': return Array.from({ length: schema.minItems ?? (schema.items?.enum || schema.items?.anyOf ? 1 : 0) }, (_, i) => itemFor(schema.items ?? {}, i, depth));
    default: return objectFor(schema, depth);
  }
}

/** Items of a choice are to differ: the first of it, the second, and so on. */
function itemFor(items, index, depth) {
  if (items.enum) return items.enum[index % items.enum.length];
  const choice = items.anyOf ?? items.oneOf;
  return choice ? valueFor(choice[index % choice.length], depth + 1) : valueFor(items, depth + 1);
}

function objectFor(schema, depth) {
  const value = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) value[name] = valueFor(property, depth + 1);
  return value;
}

function textFor(schema) {
  const known = { email: 'ada@example.com', uri: 'https://example.com/', date: '2026-01-31', 'date-time': '2026-01-31T12:00:00Z' };
  if (known[schema.format]) return known[schema.format];
  let text = 'sound';
  while ([...text].length < (schema.minLength ?? 0)) text += ' sound';
  return [...text].slice(0, schema.maxLength ?? Infinity).join('');
}

/** Another value than the proposed one, if there is one that fits: what a user may type over it. */
export function editedFor(schema) {
  const candidates = [...(schema.enum ?? []), ...(schema.oneOf ?? []).map((one) => one.const)].reverse();
  if (schema.type === 'boolean') candidates.push(!schema.default);
  if (schema.type === 'integer' || schema.type === 'number') candidates.push((schema.default ?? 0) + 1, (schema.default ?? 0) - 1);
  if (schema.type === 'string' && !candidates.length) candidates.push(textFor(schema));
  candidates.push(valueFor(schema));
  return candidates.find((value) => value !== schema.default && fits(schema, value)) ?? valueFor(schema);
}

/** Whether a form may be sent as it is: a user interface would show what is wrong. */
export function fits(schema, value) {
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (schema.oneOf && !schema.oneOf.some((one) => fits(one, value))) return false;
  if (schema.anyOf && !schema.anyOf.some((one) => fits(one, value))) return false;
  if (typeof value === 'string') {
    const length = [...value].length;
    if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) return false;
    if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) return false;
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity)) return false;
    if (schema.type === 'integer' && !Number.isInteger(value)) return false;
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) return false;
    return value.every((item) => fits(schema.items ?? {}, item));
  }
  if (value && typeof value === 'object') {
    if ((schema.required ?? []).some((name) => value[name] === undefined)) return false;
    return Object.entries(schema.properties ?? {}).every(([name, property]) => value[name] === undefined || fits(property, value[name]));
  }
  const kinds = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' };
  return !kinds[schema.type] || typeof value === kinds[schema.type];
}
