#include "harness/project/server_options.h"

#include <fmt/format.h>

namespace assay::cli {

bool ServerOptions::names_a_server() const {
  return !url.empty() || !sse_url.empty() || !socket.empty() || !command.empty() ||
         !headers.empty() || !environment.empty() || is_started || !auth_tokens.empty() ||
         !auth_token_file.empty() || has_auth_server || auth_server_port > 0 || has_upstream ||
         upstream_port > 0 || login.is_wanted();
}

void declare_server(Arguments& arguments, ServerOptions& server, const std::string& verb) {
  arguments.command_line(server.command, "The command that starts your server, over stdio");
  arguments.text("--url", server.url, "URL", "The MCP endpoint of a Streamable HTTP server");
  arguments.text("--sse-url", server.sse_url, "URL",
                 "The event stream of an HTTP+SSE server (2024-11-05)");
  arguments.text("--socket", server.socket, "PATH",
                 "A program that listens at this Unix socket: each connection is a session over "
                 "stdio");
  arguments.flag(
      "--start", server.is_started,
      fmt::format("Start COMMAND, {} --url as soon as it answers, then stop COMMAND", verb));
}

void declare_credentials(Arguments& arguments, ServerOptions& server) {
  arguments.texts("--header", server.headers, "'NAME: VALUE'",
                  "Send this HTTP header (repeatable)");
  arguments.texts("--env", server.environment, "NAME=VALUE",
                  "Set this environment variable for COMMAND (repeatable)");
  arguments.group("Access tokens");
  arguments.texts(
      "--auth-token", server.auth_tokens, "NAME=TOKEN",
      "Use this token of the user NAME; with tokens of two users, rules that keep users "
      "apart are judged (repeatable)");
  arguments.text("--auth-token-file", server.auth_token_file, "FILE",
                 "Read NAME=TOKEN lines from this file, which keeps tokens out of process lists");
}

void declare_login(Arguments& arguments, ServerOptions& server) {
  arguments.flag("--login", server.login.is_flagged,
                 "Log in through the browser (BROWSER, or xdg-open), and use that token");
  arguments.choice("--grant", server.login.grant,
                   {"authorization-code", "client-credentials", "refresh-token"},
                   "Log in with this grant: in the browser, or with MCP_ASSAY_CLIENT_ID and "
                   "MCP_ASSAY_CLIENT_SECRET, or with MCP_ASSAY_REFRESH_TOKEN");
  arguments.text("--client-id", server.login.client_id, "ID",
                 "Log in as this client (default: MCP_ASSAY_CLIENT_ID, or register one)");
  arguments.number("--callback-port", server.login.callback_port, 1, 65535, "N",
                   "The browser returns to http://127.0.0.1:N/callback (default: a free port)");
  arguments.flag("--auth-server", server.has_auth_server,
                 "Act as the server's authorization server, with good and forged tokens; COMMAND "
                 "gets its URL in place of {auth}, and in MCP_CONFORMANCE_AUTH_SERVER_URL");
  arguments.number("--auth-server-port", server.auth_server_port, 1, 65535, "N",
                   "Act as the authorization server at http://127.0.0.1:N (default: a free port)");
}

void declare_upstream(Arguments& arguments, ServerOptions& server) {
  arguments.flag("--upstream", server.has_upstream,
                 "Act as an API that the server calls, to see whether it passes on the tokens of "
                 "clients; COMMAND gets its URL in place of {upstream}, and in "
                 "MCP_CONFORMANCE_UPSTREAM_URL");
  arguments.number("--upstream-port", server.upstream_port, 1, 65535, "N",
                   "Act as that API at http://127.0.0.1:N (default: a free port)");
}

}  // namespace assay::cli
