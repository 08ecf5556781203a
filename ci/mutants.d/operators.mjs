// The operators: each finds places in a syntax tree where one small change makes a plausible mistake.
import { packages } from './packages.mjs';

const { parse } = packages('acorn');
const { ancestor } = packages('acorn-walk');
const { default: MagicString } = packages('magic-string');

const kStatuses = new Map([[200, 500], [201, 200], [202, 200], [400, 500], [401, 403], [403, 401], [404, 400], [405, 404], [406, 200],
  [415, 400], [500, 200]]);
const kErrorNames = ['ParseError', 'InvalidRequest', 'MethodNotFound', 'InvalidParams', 'InternalError'];
const kErrorCodes = [-32700, -32600, -32601, -32602, -32603, -32002];
const kOrders = new Map([['<', '<='], ['<=', '<'], ['>', '>='], ['>=', '>']]);
const kQuiet = /^(?:console|process\.stderr)\b/;  // what the other side never sees

const kModule = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true };

const next_of = (list, value) => list[(list.indexOf(value) + 1) % list.length];
const is_number = (node) => node?.type === 'Literal' && typeof node.value === 'number';
const is_text = (node) => node?.type === 'Literal' && typeof node.value === 'string';

function negated(test) {
  return (at) => at(test.start, test.end, (text) => `!(${text})`);
}

// The member of an object with the comma after it, or before it where it is the last.
function without_member(object, index) {
  const { properties } = object;
  const is_last = index === properties.length - 1;
  const start = is_last && index > 0 ? properties[index - 1].end : properties[index].start;
  const end = is_last ? properties[index].end : properties[index + 1].start;
  return (at) => at(start, end, () => '');
}

// Names of members that hold text for people, which no rule looks into.
const is_prose = (property) => ['description', 'title'].includes(property.key?.name ?? property.key?.value);

function is_header_access(node, parent) {
  if (node.type === 'MemberExpression') {
    return parent?.callee !== node && node.object.type === 'MemberExpression' && node.object.property.name === 'headers';
  }
  const callee = node.type === 'CallExpression' ? node.callee : undefined;
  return callee?.type === 'MemberExpression' && callee.property.name === 'get' && is_text(node.arguments[0]) &&
      (callee.object.property?.name ?? callee.object.name) === 'headers';
}

// Each gets a node, the nodes around it (the nearest last) and the source, and gives what can be changed there.
export const kOperators = {
  'negate-condition': (node) =>
    (['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type) && node.test ? [negated(node.test)] : []),

  'drop-statement': (node, around, source) => {
    if (node.type !== 'ExpressionStatement' || node.directive || kQuiet.test(source.slice(node.start))) return [];
    return [(at) => at(node.start, node.end, () => ';')];
  },

  'swap-constant': (node, around) => {
    const parent = around.at(-2);
    if (node.type === 'Literal' && typeof node.value === 'boolean') return [(at) => at(node.start, node.end, () => String(!node.value))];
    if (is_text(node) && parent?.type === 'Property' && parent.value === node && !is_prose(parent)) {
      return [(at) => at(node.start, node.end, () => (node.value === '' ? '"x"' : '""'))];
    }
    return [];
  },

  'swap-error-code': (node, around) => {
    if (node.type === 'MemberExpression' && node.object.name === 'ErrorCode' && kErrorNames.includes(node.property.name)) {
      return [(at) => at(node.property.start, node.property.end, () => next_of(kErrorNames, node.property.name))];
    }
    const number = node.type === 'UnaryExpression' && node.operator === '-' && is_number(node.argument) ? -node.argument.value : 0;
    return kErrorCodes.includes(number) ? [(at) => at(node.start, node.end, () => String(next_of(kErrorCodes, number)))] : [];
  },

  'off-by-one': (node, around) => {
    if (node.type === 'BinaryExpression' && kOrders.has(node.operator)) {
      return [(at) => at(node.left.end, node.right.start, (text) => text.replace(node.operator, kOrders.get(node.operator)))];
    }
    const is_negative = around.at(-2)?.type === 'UnaryExpression';
    return is_number(node) && Number.isInteger(node.value) && !is_negative && !kStatuses.has(node.value)
        ? [(at) => at(node.start, node.end, () => String(node.value + 1))] : [];
  },

  'return-early': (node) => {
    const is_function = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
    if (!is_function || node.body.type !== 'BlockStatement' || node.body.body.length === 0) return [];
    return [(at) => at(node.body.start, node.body.start + 1, () => '{ return;')];
  },

  'drop-await': (node) => {
    if (node.type !== 'AwaitExpression') return [];
    return [(at) => at(node.start, node.argument.start, () => '')];
  },

  'drop-member': (node) => {
    if (node.type !== 'ObjectExpression') return [];
    return node.properties.flatMap((property, index) => (is_prose(property) ? [] : [without_member(node, index)]));
  },

  'swap-status': (node, around) => {
    const parent = around.at(-2);
    const is_status = (parent?.type === 'CallExpression' && ['status', 'writeHead', 'sendStatus'].includes(parent.callee.property?.name)) ||
        (parent?.type === 'Property' && ['status', 'statusCode'].includes(parent.key.name));
    return is_status && is_number(node) && kStatuses.has(node.value)
        ? [(at) => at(node.start, node.end, () => String(kStatuses.get(node.value)))] : [];
  },

  'ignore-header': (node, around) => (is_header_access(node, around.at(-2)) ? [(at) => at(node.start, node.end, () => 'undefined')] : []),
};

const one_line = (text) => {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 100 ? `${flat.slice(0, 97)}...` : flat;
};

// mutations_of(SOURCE): what can be changed in it, in its order. Each has its operator, its place (`start`, `end`, `line`), the text
// before and after, and `print()`, which gives the changed source, or undefined where that no longer parses.
export function mutations_of(source) {
  const tree = parse(source, kModule);
  const found = [];
  const visit = (node, _, around) => {
    for (const [operator, places] of Object.entries(kOperators)) {
      for (const place of places(node, around, source)) {
        place((start, end, replace) => found.push(mutation(source, operator, { start, end, after: replace(source.slice(start, end)) })));
      }
    }
  };
  const types = ['IfStatement', 'ConditionalExpression', 'WhileStatement', 'ExpressionStatement', 'Literal', 'MemberExpression',
    'CallExpression', 'UnaryExpression', 'BinaryExpression', 'FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression',
    'AwaitExpression', 'ObjectExpression'];
  ancestor(tree, Object.fromEntries(types.map((type) => [type, visit])));
  const order = (a, b) => a.start - b.start || a.end - b.end || a.operator.localeCompare(b.operator);
  return found.sort(order);
}

function mutation(source, operator, { start, end, after }) {
  const line = source.slice(0, start).split('\n').length;
  const print = () => {
    const text = new MagicString(source);
    return parsed((after === '' ? text.remove(start, end) : text.overwrite(start, end, after)).toString());
  };
  return { operator, start, end, line, before: one_line(source.slice(start, end)), after: one_line(after), print };
}

function parsed(text) {
  try {
    parse(text, kModule);
    return text;
  } catch {
    return undefined;
  }
}
