#include "harness/cli/upstream.h"

#include <fmt/format.h>

#include <utility>

#include "harness/cli/command.h"

namespace assay::cli {
namespace {

void check_upstream(const ServerOptions& options) {
  if (options.upstream_port > 0 && !options.has_upstream) {
    throw UsageError("--upstream-port needs --upstream");
  }
  if (!options.has_upstream) return;
  if (options.url.empty()) throw UsageError("--upstream needs --url");
  if (!options.is_started && options.upstream_port == 0) {
    throw UsageError(
        "--upstream needs --start -- COMMAND, which is told where it is; or --upstream-port N, for "
        "a server that was told before");
  }
  const bool has_token =
      options.shows_tokens() || options.has_auth_server || options.login.is_wanted();
  if (!has_token) {
    throw UsageError(
        "--upstream shows whether a token is passed on, so it needs one: --auth-server, "
        "--auth-token, --auth-token-file or --login");
  }
}

}  // namespace

std::shared_ptr<harness::Upstream> start_upstream(const ServerOptions& options,
                                                  const ServerJob& job) {
  check_upstream(options);
  if (!options.has_upstream) return nullptr;
  auto upstream = std::make_shared<harness::Upstream>(job.vault);
  if (const auto trouble = upstream->start(static_cast<int>(options.upstream_port))) {
    throw UsageError(fmt::format("--upstream: {}", *trouble));
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
