// The page's script: the official client lists the tools of the server in ?server=, and calls those
// that it knows.
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const known = {add_numbers: {a: 5, b: 3}};

async function run(server) {
  const client = new Client({name: 'web-client', version: '1.0.0'});
  const transport = new StreamableHTTPClientTransport(new URL(server));
  await client.connect(transport);
  const {tools} = await client.listTools();
  for (const {name} of tools) {
    if (known[name]) await client.callTool({name, arguments: known[name]});
  }
  await transport.terminateSession();
  await client.close();
}

run(new URLSearchParams(location.search).get('server'))
    .then(() => { window.outcome = 'done'; }, (error) => { window.outcome = `failed: ${error}`; });
