#include "harness/cli/auth_server.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/target_words.h"

namespace assay::cli {
namespace {

void check_options(const ServerOptions& options) {
  if (options.auth_server_port > 0 && !options.has_auth_server) {
    throw UsageError("--auth-server-port needs --auth-server");
  }
  if (!options.has_auth_server) return;
  if (options.url.empty()) throw UsageError("--auth-server needs --url");
  if (!options.is_started && options.auth_server_port == 0) {
    throw UsageError(
        "--auth-server needs --start -- COMMAND, which is told where it is; or --auth-server-port "
        "N, for a server that was told before");
  }
  const bool has_authorization =
      transport::find_header(parse_headers(options.headers), "Authorization").has_value();
  if (options.shows_tokens() || has_authorization) {
    throw UsageError(
        "--auth-server makes the tokens: it goes with none of --auth-token, --auth-token-file and "
        "an Authorization header");
  }
}

}  // namespace

std::shared_ptr<harness::TokenIssuer> start_auth_server(const ServerOptions& options) {
  check_options(options);
  if (!options.has_auth_server) return nullptr;
  auto issuer = std::make_shared<harness::TokenIssuer>();
  if (const auto trouble = issuer->start(static_cast<int>(options.auth_server_port))) {
    throw UsageError(fmt::format("--auth-server: {}", *trouble));
  }
  return issuer;
}

ServerOptions told_of(const harness::TokenIssuer& issuer, ServerOptions options) {
  return told_of(std::move(options), kAuthServerPlace, kAuthServerVariable, issuer.url());
}

void give_tokens(ServerJob& job, const std::shared_ptr<harness::TokenIssuer>& issuer,
                 std::chrono::milliseconds timeout) {
  if (!issuer->learn(job.options.url, timeout)) {
    fmt::print(stderr,
               "mcp-assay: the server takes no token of the authorization server at {}: was it "
               "told to trust it?\n",
               issuer->url());
  }
  show_tokens(job, issuer->tokens());
  for (harness::TargetAccess& access : job.accesses) access.issuer = issuer;
}

}  // namespace assay::cli
