#include "harness/cli/server_options.h"

namespace assay::cli {

void declare_credentials(Arguments& arguments, ServerOptions& server) {
  arguments.texts("--header", server.headers, "'NAME: VALUE'",
                  "Send this HTTP header (repeatable)");
  arguments.texts("--auth-token", server.auth_tokens, "NAME=TOKEN",
                  "Show this access token, of the user NAME; a second user's lets the rules be "
                  "judged that keep users apart (repeatable)");
  arguments.text("--auth-token-file", server.auth_token_file, "FILE",
                 "The same from a file, a line each: what stands there is in no list of "
                 "processes");
  arguments.flag("--auth-server", server.has_auth_server,
                 "Be the server's authorization server, with tokens good, forged and for others: "
                 "the command of --start finds its URL in place of {auth}, and in "
                 "MCP_CONFORMANCE_AUTH_SERVER_URL");
  arguments.number("--auth-server-port", server.auth_server_port, 1, 65535, "N",
                   "Be it at http://127.0.0.1:N, for a server that was told so before (default: "
                   "any free port)");
  arguments.flag("--upstream", server.has_upstream,
                 "Be an API that the server asks for its clients, and see whether their tokens "
                 "are passed on: the command of --start finds its URL in place of {upstream}, and "
                 "in MCP_CONFORMANCE_UPSTREAM_URL");
  arguments.number("--upstream-port", server.upstream_port, 1, 65535, "N",
                   "Be it at http://127.0.0.1:N, for a server that was told so before (default: "
                   "any free port)");
  arguments.flag("--login", server.login.is_flagged,
                 "Log in through the browser first (BROWSER, or xdg-open), and show the token "
                 "that this gives");
  arguments.choice("--grant", server.login.grant,
                   {"authorization-code", "client-credentials", "refresh-token"},
                   "Log in by this grant: in the browser, or with MCP_ASSAY_CLIENT_ID and "
                   "MCP_ASSAY_CLIENT_SECRET, or MCP_ASSAY_REFRESH_TOKEN, of the environment");
  arguments.text("--client-id", server.login.client_id, "ID",
                 "The client that was registered for logging in (default: MCP_ASSAY_CLIENT_ID, or "
                 "one is registered)");
  arguments.number("--callback-port", server.login.callback_port, 1, 65535, "N",
                   "The browser comes back to http://127.0.0.1:N/callback (default: any free "
                   "port)");
  arguments.texts("--env", server.environment, "K=V",
                  "Set this environment variable for the command (repeatable)");
}

}  // namespace assay::cli
