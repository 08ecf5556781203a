// What both servers on the TypeScript SDK offer: as little as our reference server does for the same
// request.
export function addFixtures(server) {
  server.registerTool("test_simple_text", { description: "Answers with a constant" }, async () => ({
    content: [{ type: "text", text: "This is a simple text response for testing." }],
  }));
}
