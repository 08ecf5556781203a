// Servers that offer ordinary things in unusual shapes and sizes.

import {add, echo, fail, readOnly, resources, text, tools} from './content.mjs';
import {callTool} from './methods.mjs';
import {RpcError} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const tool = (name, inputSchema, more = {}) => ({
  name, description: `A tool with an unusual schema: ${name}`, inputSchema, annotations: readOnly,
  call: (given) => text(`${name} was called with ${Object.keys(given).length} arguments`), ...more,
});

const unusual = [
  tool('draft-07', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: {size: {type: 'integer', minimum: 1, maximum: 9}},
    properties: {size: {type: 'integer', minimum: 1, maximum: 9}},
  }),
  tool('dialect.named', {
    $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object',
    properties: {kind: {type: 'string', enum: ['a', 'b', '']}}, required: ['kind'],
  }),
  tool('no_properties', {type: 'object'}),
  tool('N0thing-Allowed', {type: 'object', additionalProperties: false}),
  tool('any', {type: 'object', properties: {}, additionalProperties: true}),
  tool('a'.repeat(128), {type: 'object', properties: {x: {}}}),
  tool('deep', {
    type: 'object',
    properties: {
      one: {
        type: 'object',
        properties: {
          two: {
            type: 'array', minItems: 1, maxItems: 3,
            items: {
              type: 'object', properties: {three: {type: ['string', 'null']}}, required: ['three'],
            },
          },
        },
        required: ['two'],
      },
    },
    required: ['one'],
  }),
  tool('words', {
    type: 'object',
    properties: {
      'with space': {type: 'string', minLength: 2, maxLength: 5},
      'числó': {type: 'number', minimum: -1.5, maximum: 1e300},
      'required': {type: 'boolean'},
      'pattern': {type: 'string', pattern: '^[a-c]{3}$'},
    },
    required: ['required'],
  }),
  tool('const', {type: 'object', properties: {version: {const: 1}}, required: ['version']}),
];

// A result may be any JSON value from 2026-07-28 on; before, an object.
const answering = {
  ...echo, name: 'large', description: 'Returns a megabyte of text',
  inputSchema: {type: 'object'},
  call: () => text('0123456789abcdef'.repeat(65536)),
};
const big = 'memo://big';
const largeResource = {
  uri: big, name: 'a megabyte', mimeType: 'text/plain', size: 1048576,
  read: () => [{uri: big, mimeType: 'text/plain', text: 'zebra ☃ '.repeat(104858)}],
};
const every = {
  ...echo, name: 'every_kind', description: 'Returns content of each kind',
  inputSchema: {type: 'object'},
  call(_, {revision}) {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const content = [
      {type: 'text', text: ''},
      {type: 'image', data: png, mimeType: 'image/png'},
      {type: 'resource', resource: {uri: 'memo://notes/1', mimeType: 'text/plain', text: 'inside'}},
      {type: 'text', text: '\u0000 \u2028 \ud83d\ude80', annotations: {audience: ['user'], priority: 0}},
    ];
    if (revision >= '2025-03-26') content.push({type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav'});
    if (revision >= '2025-06-18') {
      content.push({type: 'resource_link', uri: 'memo://elsewhere', name: 'not in any list'});
    }
    return {content};
  },
};

const many = (count) => Array.from({length: count}, (_, at) => ({
  ...echo, name: `tool_${at}`, description: `Echo number ${at}`,
}));
const small = [echo, add, fail];

// Errors with all kinds of data, in place of the ordinary ones.
const failing = {
  'prompts/get': ({params}) => {
    throw new RpcError(-32602, `No prompt ${params.name}: the user's fault`, [{nested: {deep: null}}]);
  },
};

// Every refusal of a call is a result that says so in words alone.
const refusal = (words) => text(JSON.stringify({success: false, error: words}));
const inWords = {
  async 'tools/call'(context) {
    try {
      const result = await callTool(context);
      return result.isError ? refusal(result.content[0].text) : result;
    } catch (error) {
      return refusal(error.message);
    }
  },
};

serve(traitOf({
  'refuses-in-words': {tools: [echo], methods: inWords},
  'schemas': {tools: unusual},
  'large': {tools: [answering, every], resources: [largeResource], http: {answers: 'mixed'}},
  'many-tools': {tools: many(300)},
  'many-tools-paged': {tools: many(300), pageSize: 40},
  'pages-of-one': {tools: small, pageSize: 1},
  'empty-last-page': {tools: small, pageSize: 2, emptyLastPage: true},
  'long-cursors': {tools: small, pageSize: 2, cursorPadding: 6000},
  'long-instructions': {
    instructions: 'Mind the gap. '.repeat(5000) + '\n\t"end" \u00e9\ud83d\ude80',
    info: {
      name: 'sound \ud83d\ude80', title: '', version: '0.0.0-\u03b1+build.7',
      websiteUrl: 'https://example.com/', description: 'speaks much',
      icons: [{src: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png', sizes: ['any']}],
    },
  },
  'error-data': {
    prompts: [{name: 'never', description: 'Cannot be had'}], methods: failing,
  },
  'decorated': {
    tools: tools.map((one) => ({
      ...one, _meta: {'com.example/cost': 3}, icons: [{src: 'https://example.com/i.png'}],
      annotations: {
        ...readOnly, title: 'Decorated', destructiveHint: false, idempotentHint: true,
        openWorldHint: false,
      },
    })),
    resources: resources.map((one) => ({
      ...one, size: 18, _meta: {'com.example/shelf': 'b'},
      annotations: {audience: ['assistant', 'user'], priority: 1,
                    lastModified: '2025-01-12T15:00:58Z'},
    })),
    caching: {ttlMs: 0, cacheScope: 'private'},
    capabilities: {
      tools: {listChanged: false}, prompts: {}, resources: {subscribe: false, listChanged: true},
      logging: {}, completions: {}, experimental: {'com.example/x': {level: 3}},
    },
  },
}));
