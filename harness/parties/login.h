// `server --login`: the token that the runs show is got from the server's own authorization server
// first, by a person in a browser or by what the environment holds.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/project/server_jobs.h"
#include "reference/model/revision.h"

namespace assay::cli {

// Where credentials for a login are taken from: no option has them, as lists of processes show
// those.
inline constexpr const char* kClientIdVariable = "MCP_ASSAY_CLIENT_ID";
inline constexpr const char* kClientSecretVariable = "MCP_ASSAY_CLIENT_SECRET";
inline constexpr const char* kRefreshTokenVariable = "MCP_ASSAY_REFRESH_TOKEN";

// Throws UsageError where the options, or the environment, do not fit.
void check_login(const ServerOptions& options);

// What came of it.
struct LoggedIn {
  std::string problem;             // why there is no token, in one sentence; empty if there is one
  std::optional<double> lifetime;  // of the token, in seconds, as far as that was said
};
// Logs in, and has the job show the token from now on. The server listens already. Where it asks
// for no token, nothing happens.
LoggedIn log_in(ServerJob& job, const std::vector<model::Revision>& revisions,
                const std::stop_token& stop);

}  // namespace assay::cli
