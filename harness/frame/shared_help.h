// The help of options that several subcommands take.
#pragma once

namespace assay::cli {

inline constexpr const char* kCatalogueHelp =
    "Judge only by the rules of this version of the catalogue (default: the latest)";
inline constexpr const char* kStrictHelp = "A violated SHOULD also fails the run";
inline constexpr const char* kRulesUrlHelp =
    "Link to the pages of 'report --rules' that you publish at this address";

inline constexpr const char* kServerFooter =
    "Examples:\n"
    "  mcp-assay server -- npx -y @modelcontextprotocol/server-everything\n"
    "  mcp-assay server --url http://127.0.0.1:3001/mcp --report junit=result.xml\n"
    "  mcp-assay server --url http://127.0.0.1:3001/mcp --start -- node server.js\n"
    "  mcp-assay server --url http://127.0.0.1:3001/mcp --auth-server --start -- node "
    "server.js {auth}\n"
    "  mcp-assay server --config .mcp.json --report html=out/{name}.html --overview "
    "out/index.html\n"
    "\n"
    "The first token goes with every request. A second token of the same user has other "
    "scopes. The\n"
    "server must refuse tokens named 'foreign' (for another server, from 2025-06-18 on) and "
    "'expired'.\n"
    "\n"
    "With several servers, {name} in a path becomes the name of each server, and the exit "
    "status is the\n"
    "worst of all.\n"
    "\n"
    "Exit status: 0 conformant, 1 unexpected violations, 2 wrong command line, 3 the server, "
    "or one of\n"
    "its revisions, could not be tested, 130 interrupted, or stopped by --max-time.";

}  // namespace assay::cli
