// Who of ours stands beside a server while it is certified: its authorization server, the API that
// it asks, and whoever logs in for a token.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "harness/project/server_jobs.h"
#include "harness/runner/runner.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"

namespace assay::cli {

class Parties {
 public:
  // Throws UsageError where the job's options do not fit.
  static void check(const ServerJob& job);
  // Starts those that the job's options ask for. Throws UsageError where the options do not fit, or
  // nobody can listen.
  explicit Parties(const ServerJob& job);

  // The same options, in which the command is told where they are.
  ServerOptions told_of(ServerOptions options) const;
  // The job has its tokens from now on. The server listens already. Gives for how many seconds the
  // tokens hold, as far as that is known; where nobody could log in, all ways to the server are
  // closed, and standard error says why.
  std::optional<double> meet(ServerJob& job, const harness::CertifyOptions& options,
                             const std::stop_token& stop) const;
  // The job is done, and knows nobody of ours any more: they listen no longer than they are held.
  static void leave(ServerJob& job);

 private:
  std::shared_ptr<harness::TokenIssuer> issuer_;  // null: none was asked for
  std::shared_ptr<harness::Upstream> upstream_;   // the same
};

}  // namespace assay::cli
