// Servers that offer hardly anything: "Other components MAY be implemented based on the specific
// needs of the application" (Overview).

import {echo} from './content.mjs';
import {serve, traitOf} from './lib.mjs';

serve(traitOf({
  'nothing': {capabilities: {}, info: {name: 'n', version: '0'}},
  'only-prompts': {capabilities: {prompts: {}}},
  'only-resources': {capabilities: {resources: {subscribe: true}}, templates: []},
  'only-logging': {capabilities: {logging: {}}},
  'only-completions': {capabilities: {completions: {}}},
  'empty-lists': {
    capabilities: {tools: {}, prompts: {}, resources: {}},
    tools: [], prompts: [], resources: [], templates: [],
  },
  'one-tool': {capabilities: {tools: {listChanged: false}}, tools: [echo]},
  // Capabilities that are declared, but never used.
  'never-changes': {
    capabilities: {
      tools: {listChanged: true}, prompts: {listChanged: true},
      resources: {listChanged: true, subscribe: true}, completions: {}, logging: {},
      experimental: {'com.example/nothing': {}},
    },
  },
}));
