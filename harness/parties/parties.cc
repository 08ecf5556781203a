#include "harness/parties/parties.h"

#include <fmt/format.h>

#include <utility>

#include "harness/frame/command.h"
#include "harness/parties/auth_server.h"
#include "harness/parties/login.h"
#include "harness/parties/start_option.h"
#include "harness/parties/upstream.h"
#include "harness/script/started_server.h"
#include "reports/escape.h"

namespace assay::cli {

namespace {

// Does it, and says of which of several servers what is wrong with it.
template <typename Deed>
void named_for(const ServerJob& job, const Deed& deed) {
  try {
    deed();
  } catch (const UsageError& error) {
    if (job.target.label.empty()) throw;
    throw UsageError(
        fmt::format("server '{}': {}", reports::printable_line(job.target.label), error.text()));
  }
}

}  // namespace

void Parties::check(const ServerJob& job) {
  named_for(job, [&] {
    check_login(job.options);
    check_auth_server(job.options);
    check_upstream(job.options);
  });
}

Parties::Parties(const ServerJob& job) {
  check(job);
  named_for(job, [&] {
    issuer_ = start_auth_server(job.options, job);
    upstream_ = start_upstream(job.options, job);
  });
}

void Parties::leave(ServerJob& job) {
  for (harness::TargetAccess& access : job.accesses) {
    access.issuer = nullptr;
    access.upstream = nullptr;
  }
}

ServerOptions Parties::told_of(ServerOptions options) const {
  if (issuer_) options = cli::told_of(*issuer_, std::move(options));
  if (upstream_) options = cli::told_of(*upstream_, std::move(options));
  return options;
}

std::optional<double> Parties::meet(ServerJob& job, const harness::CertifyOptions& options,
                                    const std::stop_token& stop) const {
  std::optional<double> lifetime;
  if (issuer_) {
    give_tokens(job, issuer_, options.patience.request);
  } else if (job.options.login.is_wanted()) {
    const LoggedIn came = log_in(job, options.revisions, stop);
    if (!came.problem.empty()) {
      fmt::print(stderr, "mcp-assay: {}\n", came.problem);
      close_ways(job.accesses, came.problem);
    }
    lifetime = came.lifetime;
  }
  if (upstream_) watch_upstream(job, upstream_);
  return lifetime;
}

}  // namespace assay::cli
