// A minimal server on the TypeScript SDK, over stdio: what others' servers have as their floor.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { addFixtures } from "./sdk-fixtures.mjs";

const server = new McpServer({ name: "sdk-stdio", version: "1.0.0" });
addFixtures(server);
await server.connect(new StdioServerTransport());
