#include "harness/parties/upstream.h"

#include <fmt/format.h>

#include <utility>

#include "harness/frame/command.h"

namespace assay::cli {
void check_upstream(const ServerOptions& options) {
  check_party(options, options.has_upstream, options.upstream_port, "--upstream");
  if (!options.has_upstream) return;
  const bool has_token =
      options.shows_tokens() || options.has_auth_server || options.login.is_wanted();
  if (has_token) return;
  throw UsageError(
      options.login.is_of_list
          ? "upstreamPort shows whether a token is passed on, so it needs one: authServerPort, "
            "authTokens, authTokenFile or login"
          : "--upstream shows whether a token is passed on, so it needs one: --auth-server, "
            "--auth-token, --auth-token-file or --login");
}

std::shared_ptr<harness::Upstream> start_upstream(const ServerOptions& options,
                                                  const ServerJob& job) {
  check_upstream(options);
  if (!options.has_upstream) return nullptr;
  auto upstream = std::make_shared<harness::Upstream>(job.vault);
  if (const auto trouble = upstream->start(static_cast<int>(options.upstream_port))) {
    throw UsageError(
        fmt::format("{}: {}", options.login.is_of_list ? "upstreamPort" : "--upstream", *trouble));
  }
  return upstream;
}

ServerOptions told_of(const harness::Upstream& upstream, ServerOptions options) {
  return told_of(std::move(options), kUpstreamPlace, kUpstreamVariable, upstream.url());
}

void watch_upstream(ServerJob& job, const std::shared_ptr<harness::Upstream>& upstream) {
  for (harness::TargetAccess& access : job.accesses) access.upstream = upstream;
}

}  // namespace assay::cli
