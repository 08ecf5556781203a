#include "harness/parties/auth_server.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/target_words.h"

namespace assay::cli {
void check_auth_server(const ServerOptions& options) {
  check_party(options, options.has_auth_server, options.auth_server_port, "--auth-server");
  if (!options.has_auth_server) return;
  const bool has_authorization =
      transport::find_header(parse_headers(options.headers), "Authorization").has_value();
  if (!options.shows_tokens() && !has_authorization) return;
  throw UsageError(
      options.login.is_of_list
          ? "authServerPort makes the tokens: it goes with none of authTokens, authTokenFile "
            "and an Authorization header"
          : "--auth-server makes the tokens: it goes with none of --auth-token, --auth-token-file "
            "and an Authorization header");
}

std::shared_ptr<harness::TokenIssuer> start_auth_server(const ServerOptions& options,
                                                        const ServerJob& job) {
  check_auth_server(options);
  if (!options.has_auth_server) return nullptr;
  auto issuer = std::make_shared<harness::TokenIssuer>(
      authorization::Signing::kRs256, std::vector<authorization::KnownClient>(), job.vault);
  if (const auto trouble = issuer->start(static_cast<int>(options.auth_server_port))) {
    throw UsageError(fmt::format(
        "{}: {}", options.login.is_of_list ? "authServerPort" : "--auth-server", *trouble));
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
